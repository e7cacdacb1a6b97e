:- module(etalis_question_views,
          [ open_views/2,               % +Engine, +Module
            see_lanes/2,                % +Engine, +Lanes
            open_sandbox/2,             % +Module, +Sandbox
            add_goal_stores/2,          % +Engine, +Stores
            forget_goal_stores/1,       % +Engine
            matches_kept/3              % +Engine, +Names, -Kept
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(lists), [member/2]).
:- use_module('../aggregates/aggregates', [groups_kept/3, groups_size/3]).
:- use_module('../stores/goal_store', [goals_kept/3, goals_size/3]).
:- use_module('../stores/recall', [recalled/6, recalled/8]).
:- use_module(question_symbols, []).

/** <module> What a question sees of an engine, besides its background

  * waiting(Query, For, Bindings, Start, End): a goal of Query, that is a partial match with its interval, which
    waits at the operator whose text is For. Bindings lists Variable=Value.
  * waiting(Query, For, Bindings, Start, End, More): the same; More has iterations(Count) of a run of REPEAT, and
    until(Time) of what waits for a deadline.
  * occurrence(Subject, Predicate, Object, Start, End): the recent occurrences (recall.pl).
  * occurrence(Subject, Predicate, Object, Start, End, Stream, Graph): the same with their streams, and the names of
    their elements, '' for none.

The views are clauses of the module that questions are put to. The user's predicates of the same names go before them.
*/

:- det((open_views/2, see_lanes/2, open_sandbox/2, add_goal_stores/2, forget_goal_stores/1, matches_kept/3)).

%!  open_views(+Engine, +Module) is det.
%
%   Let questions to Module see Engine; costs nothing if they do.

open_views(_, Module) :-
    current_predicate(Module:'$questions_see'/1),
    !.
open_views(M, Module) :-
    dynamic(Module:'$questions_see'/1),
    assertz(Module:'$questions_see'(M)),
    forall(( view(M, Head, Body), \+ defined(Module, Head) ),
           ( assertz((Module:Head :- Body)),
             functor(Head, Name, Arity),
             compile_predicates([Module:Name/Arity])
           )).

view(M, waiting(Query, For, Bindings, Start, End),
     etalis_question_views:waiting_goal(M, Query, For, Bindings, Start, End, _)).
view(M, waiting(Query, For, Bindings, Start, End, More),
     etalis_question_views:waiting_goal(M, Query, For, Bindings, Start, End, More)).
view(M, occurrence(S, P, O, Start, End),
     etalis_recall:recalled(M, S, P, O, Start, End)).
view(M, occurrence(S, P, O, Start, End, Stream, Graph),
     etalis_recall:recalled(M, S, P, O, Start, End, Stream, Graph)).

defined(Module, Head) :-
    functor(Head, Name, Arity),
    current_predicate(Module:Name/Arity),
    \+ predicate_property(Module:Head, imported_from(_)).

%!  see_lanes(+Engine, +Lanes) is det.
%
%   The goals of Engine are in Lanes, engines that share its stream.

see_lanes(M, Lanes) :-
    dynamic(M:lane/1),
    forall(member(Lane, Lanes), assertz(M:lane(Lane))).

has_goals(M, Engine) :-
    (   predicate_property(M:lane(_), dynamic)
    ->  M:lane(Engine)
    ;   Engine = M
    ).

%!  add_goal_stores(+Engine, +Stores) is det.
%
%   Tell of what the engine's queries keep. Stores lists [Query,For,Predicate,Columns,Window,Due]: Predicate/length of
%   Columns holds goals; a column is `Start`, `End`, `Count`, `Open` (0 of what waits), the name of a variable after `?`,
%   or '' for what is not shown. Window is in microseconds, or 0 for none. Due is [Column,Microseconds] of goals with a
%   deadline, else [].

add_goal_stores(M, Stores) :-
    dynamic(M:goals_of_query/6),
    forall(member([Query,For,Predicate,Columns,Window,Due0], Stores),
           ( atom_string(For, Text),
             maplist(atom_of, [Query,Predicate|Columns], [Name,Functor|Names]),
             due_of(Due0, Due),
             assertz(M:goals_of_query(Name, Text, Functor, Names, Window, Due))
           )).

due_of([], none).
due_of([Column0,Length], Column+Length) :-
    atom_of(Column0, Column).

%!  forget_goal_stores(+Engine) is det.
%
%   Queries have left: what is there still will be told anew.

forget_goal_stores(M) :-
    dynamic(M:goals_of_query/6),
    retractall(M:goals_of_query(_, _, _, _, _, _)).

atom_of(Text, Atom) :-
    atom_string(Atom, Text).

:- public waiting_goal/7.

waiting_goal(M, Query, For, Bindings, Start, End, More) :-
    current_predicate(M:goals_of_query/6),
    M:goals_of_query(Query, For, Predicate, Columns, Window, Due),
    has_goals(M, Engine),
    same_length(Columns, Values),
    Goal =.. [Predicate|Values],
    functor(Goal, _, Arity),
    current_predicate(Engine:Predicate/Arity),
    Engine:Goal,
    columns(Columns, Values, shown(Start0, End, Count), Bindings),
    integer(End),
    ( var(Start0) -> Start = End ; Start = Start0 ),    % of what MINUS looks for only the end is kept
    (   Window =:= 0
    ->  true
    ;   Engine:clock(Clock),
        Clock - Start < Window
    ),
    findall(Each, also(Count, Due, Start, End, Each), More).

also(Count, _, _, _, iterations(Count)) :-
    integer(Count).
also(_, 'Start'+Length, Start, _, until(Time)) :-
    Time is Start + Length.
also(_, 'End'+Length, _, End, until(Time)) :-
    Time is End + Length.

same_length([], []).
same_length([_|As], [_|Bs]) :-
    same_length(As, Bs).

columns([], [], _, []).
columns([Column|Columns], [Value|Values], Shown, Bindings) :-
    column(Column, Value, Shown, Bindings, More),
    columns(Columns, Values, Shown, More).

column('Start', Value, shown(Start, _, _), Bindings, Bindings) :- !, Start = Value.
column('End', Value, shown(_, End, _), Bindings, Bindings) :- !, End = Value.
column('Count', Value, shown(_, _, Count), Bindings, Bindings) :- !, Count = Value.
column('Open', Value, _, Bindings, Bindings) :- !, ( Value =:= 0 -> true ; Value >= 1<<62 ).
column('', _, _, Bindings, Bindings) :- !.
column(_, Value, _, Bindings, Bindings) :- Value == '$unbound', !.
column(Column, Value, _, [Name=Value|Bindings], Bindings) :-
    sub_atom(Column, 1, _, 0, Name).

% ---- the sandbox --------------------------------------------------------------------------------------------

%!  open_sandbox(+Module, +Sandbox) is det.
%
%   Make the module Sandbox, which must not exist, for one question that may do no harm: it sees all of Module, and
%   keeps what it writes and counts to itself. What the views call counts as safe.

open_sandbox(Module, Sandbox) :-
    set_module(Sandbox:class(temporary)),
    forall(import_module(Sandbox, Import), delete_import_module(Sandbox, Import)),
    add_import_module(Sandbox, Module, start),
    op(110, xfx, Sandbox:(@)),
    op(650, xfx, Sandbox:(^^)),
    forall(( counting(Name, Arity), functor(Head, Name, Arity), \+ defined(Module, Head) ),
           Sandbox:import(etalis_question_symbols:Name/Arity)).

counting(gensym, 2).
counting(reset_gensym, 0).
counting(reset_gensym, 1).

:- multifile sandbox:safe_primitive/1.

sandbox:safe_primitive(etalis_rdfs:visible_triple(_,_,_,_)).
sandbox:safe_primitive(etalis_rdfs:background_triple(_,_,_,_)).
sandbox:safe_primitive(etalis_rdfs:individual_of(_,_,_)).
sandbox:safe_primitive(etalis_rdfs_schema:superclass(_,_,_)).
sandbox:safe_primitive(etalis_rdfs_schema:superproperty(_,_,_)).
sandbox:safe_primitive(etalis_background:explicit_triple(_,_,_,_)).
sandbox:safe_primitive(etalis_background_graphs:graph_triple(_,_,_,_,_)).
sandbox:safe_primitive(etalis_question_views:waiting_goal(_,_,_,_,_,_,_)).
sandbox:safe_primitive(etalis_question_symbols:gensym(_,_)).
sandbox:safe_primitive(etalis_question_symbols:reset_gensym).
sandbox:safe_primitive(etalis_question_symbols:reset_gensym(_)).
sandbox:safe_primitive(etalis_recall:recalled(_,_,_,_,_,_)).
sandbox:safe_primitive(etalis_recall:recalled(_,_,_,_,_,_,_,_)).

%!  matches_kept(+Engine, +Names, -Kept) is det.
%
%   [Count, Bytes] for each name: how many goals a store has, or solutions the window of a group (groups, where it has
%   none), and their memory, without the terms in them.

matches_kept(M, Names, Kept) :-
    maplist(kept(M), Names, Kept).

kept(M, Name, [Count,Bytes]) :-
    (   current_predicate(M:aggregate_declared/3),
        M:aggregate_declared(Name, _, _)
    ->  groups_kept(M, Name, Count),
        groups_size(M, Name, Bytes)
    ;   goals_kept(M, Name, Count),
        goals_size(M, Name, Bytes)
    ).
