:- module(etalis_limits,
          [ start_watcher/1,            % +PageBytes
            limit_answers/3,            % +Engine, +Query, +Limit
            limit_of/3,                 % +Engine, +Query, -Limit
            limit_work/3,               % +Engine, +Seconds, +Bytes
            limit_regex/2,              % +Engine, +Steps
            limited/2,                  % +Engine, :Goal
            too_many/6,                 % +Engine, +Walk, +Ends, +Found, -End, -Error
            rule_at_work/2              % +Term, -Rule
          ]).
:- use_module(around, [around/3]).
:- use_module(library(lists), [member/2, selectchk/3]).
:- use_module(library(macros)).
:- use_module(library(occurs), [sub_term/2]).

#import(fields).

/** <module> Limits that a user sets

M:answer_limit(Query, Limit): most answers of Query (a number, or `all` for those that have none of their own) at one
instant. M:work_limit(Seconds, Bytes): most seconds for one instant, most memory that the process may have; `none` for no limit.
M:regex_limit(Steps): most steps of one match of a regular expression.

A thread of its own, the watcher, looks 20 times a second while an engine with a work limit runs. The memory it reads
itself (/proc/self/statm, resident pages); for the time it interrupts the thread that runs the engine, which looks
whether it is at the same instant still. So the rules pay nothing for it, and what never comes to an answer is ended,
too.
*/

:- meta_predicate limited(+, 0).

:- det((start_watcher/1, limit_answers/3, limit_work/3, limit_regex/2)).

%!  limit_answers(+Engine, +Query, +Limit) is det.

limit_answers(M, Query, Limit) :-
    retractall(M:answer_limit(Query, _)),
    assertz(M:answer_limit(Query, Limit)).

%!  limit_work(+Engine, +Seconds, +Bytes) is det.

limit_work(M, Seconds, Bytes) :-
    retractall(M:work_limit(_, _)),
    assertz(M:work_limit(Seconds, Bytes)).

%!  limit_regex(+Engine, +Steps) is det.
%
%   Let a match of a regular expression take at most so many steps (functions_regex.pl).

limit_regex(M, Steps) :-
    retractall(M:regex_limit(_)),
    assertz(M:regex_limit(Steps)).

% ---- answers ----------------------------------------------------------------------------------------------

%!  too_many(+Engine, +Walk, +Ends, +Found, -End, -Error) is semidet.
%
%   Found, a portion that ends as Ends says (portions.pl), has more answers of one query at the instant End than there
%   may be. What parts of an instant that is cut had is in the counts of Walk (fields.pl).

too_many(M, Walk, Ends, Found, End, error(etalis_limit(answers(Query), Limit), _)) :-
    M:answer_limit(_, _),
    !,
    findall(At-Query0, ( member(answer(At,Answer), Found), arg(1, Answer, _), query_of(Answer, Query0) ), All),
    msort(All, Sorted),
    arg(#walk(counts), Walk, Before),
    counts(Sorted, Before, Counts),
    (   member(counted(End,Query,Count), Counts),
        limit_of(M, Query, Limit),
        Count > Limit
    ->  true
    ;   (   Ends = cut(Last)
        ->  findall(counted(Last,Each,N), member(counted(Last,Each,N), Counts), Kept)
        ;   Kept = []
        ),
        nb_setarg(#walk(counts), Walk, Kept),
        fail
    ).

query_of(a(_,Query,_), Query).
query_of(o(Query,_,_,_), Query).

%!  limit_of(+Engine, +Query, -Limit) is semidet.
%
%   The most answers that Query may have at one instant.

limit_of(M, Query, Limit) :-
    (   M:answer_limit(Query, Own)
    ->  Limit = Own
    ;   M:answer_limit(all, Limit)
    ).

counts([], Before, Before).
counts([End-Query|Sorted], Before, [counted(End,Query,Count)|Counts]) :-
    (   selectchk(counted(End,Query,Count0), Before, Before1)
    ->  true
    ;   Count0 = 0, Before1 = Before
    ),
    Count1 is Count0 + 1,
    same(Sorted, End, Query, Count1, Count, Rest),
    counts(Rest, Before1, Counts).

same([End-Query|Sorted], End, Query, Count0, Count, Rest) :-
    !,
    Count1 is Count0 + 1,
    same(Sorted, End, Query, Count1, Count, Rest).
same(Rest, _, _, Count, Count, Rest).

% ---- time and memory --------------------------------------------------------------------------------------

%!  limited(+Engine, :Goal) is nondet.
%
%   Goal, watched if the engine has a work limit.
%
%   @throws error(etalis_limit(time, Seconds), Rule), error(etalis_limit(memory, Bytes), Rule)

limited(M, Goal) :-
    (   M:work_limit(Seconds, Bytes)
    ->  flag(etalis_watched, Id, Id + 1),
        around(begin_watch(Id, Seconds, Bytes), Goal, end_watch(Id))
    ;   call(Goal)
    ).

%   The value of the global variable etalis_watched is watched(Id, Clock, Spent, Since): the instant that was seen last,
%   the seconds that it took, and when they were counted; `off` while the goal does not run.

begin_watch(Id, Seconds, Bytes) :-
    get_time(Now),
    (   nb_current(etalis_watched, watched(Id, Clock, Spent, _))
    ->  within(Seconds, Bytes, Spent)
    ;   Clock = none, Spent = 0
    ),
    nb_setval(etalis_watched, watched(Id, Clock, Spent, Now)),
    thread_self(Me),
    thread_send_message(etalis_watcher, watch(Id, Me, Seconds, Bytes)).

end_watch(Id) :-
    nb_getval(etalis_watched, watched(_, Clock0, Spent0, Since)),
    spent(Clock0, Spent0, Since, Clock, Spent, _),
    nb_setval(etalis_watched, watched(Id, Clock, Spent, off)),
    thread_send_message(etalis_watcher, done(Id)).

%   within(+Seconds, +Bytes, +Spent): before the work goes on, since portions may be too short for the watcher.

within(Seconds, Bytes, Spent) :-
    (   Seconds \== none,
        Spent > Seconds
    ->  throw(error(etalis_limit(time, Seconds), rule(none)))
    ;   Bytes \== none,
        resident_pages(Pages),
        get_flag(etalis_page_bytes, PageBytes),
        Pages * PageBytes > Bytes
    ->  throw(error(etalis_limit(memory, Bytes), rule(none)))
    ;   true
    ).

%   spent(+Clock0, +Spent0, +Since, -Clock, -Spent, -Now): what the instant that is open has taken, Clock0 being the
%   one that was seen before.

spent(Clock0, Spent0, Since, Clock, Spent, Now) :-
    get_time(Now),
    b_getval(etalis_walk, Walk),
    arg(#walk(machine), Walk, Machine),
    (   Machine == none
    ->  arg(#walk(clock), Walk, Clock)
    ;   etalis_machine:machine_state(Machine, Clock, _)
    ),
    (   Clock == Clock0
    ->  Spent is Spent0 + Now - Since
    ;   Spent = 0
    ).

:- public look/2, strike/2.

%   look(+Id, +Seconds): called in the thread that is watched, amid its work.

look(Id, Seconds) :-
    (   nb_current(etalis_watched, watched(Id, Clock0, Spent0, Since)),
        number(Since)
    ->  spent(Clock0, Spent0, Since, Clock, Spent, Now),
        nb_setval(etalis_watched, watched(Id, Clock, Spent, Now)),
        (   Spent > Seconds,
            is_caught
        ->  end_work(error(etalis_limit(time, Seconds), _))
        ;   true
        )
    ;   true
    ).

%   strike(+Id, +Bytes): the same, of memory.

strike(Id, Bytes) :-
    (   nb_current(etalis_watched, watched(Id, _, _, Since)),
        number(Since),
        is_caught
    ->  end_work(error(etalis_limit(memory, Bytes), _))
    ;   true
    ).

%   Whether a rule is at work, and not the collecting of what it found (portions.pl), which nothing may break off. The
%   machine looks for signals where it can be broken off.

is_caught :-
    prolog_current_frame(Frame),
    is_caught(Frame).

is_caught(Frame) :-
    prolog_frame_attribute(Frame, predicate_indicator, Predicate),
    (   memberchk(Predicate, [etalis_machine:run_rows/6, etalis_machine:run_instant/7])
    ->  true
    ;   Predicate == system:catch/3,
        prolog_frame_attribute(Frame, parent, Parent),
        prolog_frame_attribute(Parent, predicate_indicator, etalis_portions:collected/5)
    ->  true
    ;   \+ memberchk(Predicate, [etalis_portions:collected/5, etalis_portions:failed/3]),
        prolog_frame_attribute(Frame, parent, Above),
        is_caught(Above)
    ).

%   The error tells which rule is at work, if one can be found on the stack.

end_work(error(Limit, rule(Rule))) :-
    prolog_current_frame(Frame),
    (   frame_rule(Frame, Rule)
    ->  true
    ;   searched_store(Rule)
    ->  true
    ;   Rule = none
    ),
    throw(error(Limit, rule(Rule))).

%   A store has the name of the rule that it belongs to, and more behind it.

searched_store(Name) :-
    b_getval(etalis_walk, Walk),
    arg(#walk(machine), Walk, Machine),
    Machine \== none,
    etalis_machine:machine_state(Machine, _, Store),
    arg(#walk(engine), Walk, M),
    M:goal_store(Name, _, Store, _).

frame_rule(Frame, Rule) :-
    prolog_frame_attribute(Frame, goal, Goal),
    (   generated_name(Goal, Rule)
    ->  true
    ;   clause_store(Frame, Goal, Rule)
    ->  true
    ;   prolog_frame_attribute(Frame, parent, Parent),
        frame_rule(Parent, Rule)
    ).

%   A trigger has in it the rules that it calls, but not their names; it uses their stores.

clause_store(Frame, M:_, Name) :-
    predicate_property(M:goal_store(_, _, _, _), dynamic),
    prolog_frame_attribute(Frame, clause, Ref),
    clause(M:_, Body, Ref),
    sub_term(Part, Body),
    nonvar(Part),
    Part = etalis_goals:Lookup,
    arg(1, Lookup, Store),
    M:goal_store(Name, _, Store, _).

generated_name(_:Goal, Rule) :-
    callable(Goal),
    functor(Goal, Rule, _),
    is_generated(Rule).

is_generated(Rule) :-
    sub_atom(Rule, 0, 1, _, q),
    sub_atom(Rule, Before, 1, _, '_'),
    !,
    Length is Before - 1,
    sub_atom(Rule, 1, Length, _, Digits),
    atom_number(Digits, Number),
    integer(Number).

%!  rule_at_work(+Context, -Rule) is det.
%
%   Rule is the name of the first rule of a query that the context of an error speaks of, such as that of a stack that
%   is full; `none` if it speaks of none.

rule_at_work(Context, Rule) :-
    (   nonvar(Context),
        Context = rule(Known)
    ->  Rule = Known
    ;   sub_term(Part, Context),
        nonvar(Part),
        Part = _:_,
        generated_name(Part, Found)
    ->  Rule = Found
    ;   Rule = none
    ).

% ---- the watcher ------------------------------------------------------------------------------------------

%!  start_watcher(+PageBytes) is det.
%
%   To be called once a process, with the signals of the process blocked: the thread would inherit them.

start_watcher(PageBytes) :-
    set_flag(etalis_page_bytes, PageBytes),
    thread_create(watcher([], PageBytes), _, [alias(etalis_watcher), detached(true)]).

watcher([], PageBytes) :-
    !,
    thread_get_message(Message),
    heard(Message, [], Jobs),
    watcher(Jobs, PageBytes).
watcher(Jobs, PageBytes) :-
    get_time(Now),
    Next is Now + 0.05,
    hear_until(Next, Jobs, Jobs1),
    forall(member(Job, Jobs1), looked(Job, PageBytes)),
    watcher(Jobs1, PageBytes).

hear_until(Time, Jobs0, Jobs) :-
    (   Jobs0 \== [],
        thread_self(Me),
        thread_get_message(Me, Message, [deadline(Time)])
    ->  heard(Message, Jobs0, Jobs1),
        hear_until(Time, Jobs1, Jobs)
    ;   Jobs = Jobs0
    ).

heard(watch(Id, Thread, Seconds, Bytes), Jobs, [job(Id, Thread, Seconds, Bytes)|Jobs]).
heard(done(Id), Jobs0, Jobs) :-
    exclude_job(Jobs0, Id, Jobs).

exclude_job([], _, []).
exclude_job([job(Id,_,_,_)|Jobs], Id, Jobs) :-
    !.
exclude_job([Job|Jobs0], Id, [Job|Jobs]) :-
    exclude_job(Jobs0, Id, Jobs).

looked(job(Id, Thread, Seconds, Bytes), PageBytes) :-
    (   Bytes \== none,
        resident_pages(Pages),
        Pages * PageBytes > Bytes
    ->  signalled(Thread, strike(Id, Bytes))
    ;   Seconds \== none
    ->  signalled(Thread, look(Id, Seconds))
    ;   true
    ).

signalled(Thread, Goal) :-
    catch(thread_signal(Thread, etalis_limits:Goal), error(existence_error(_, _), _), true).

resident_pages(Pages) :-
    setup_call_cleanup(open('/proc/self/statm', read, In),
                       read_string(In, _, Text),
                       close(In)),
    split_string(Text, " ", "", [_,Resident|_]),
    number_string(Pages, Resident).
