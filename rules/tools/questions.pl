:- module(etalis_questions,
          [ open_question/8,            % +Id, +Module, +Text, +Given, +Prefixes, +Form, +Limits, -Outcome
            next_answer/3,              % +Id, +Look, -Outcome
            stopped_by/2,               % +Id, -Outcome
            start_alarms/0,
            close_question/1            % +Id
          ]).
:- autoload(library(sandbox), [safe_goal/1]).
:- use_module(library(lists), [member/2]).
:- use_module(library(time), [alarm/4, install_alarm/2, remove_alarm/1, uninstall_alarm/1]).
:- use_module('../engine/interruption', [look/1]).
:- use_module('../engine/messages', [message_text/2]).
:- use_module(question_terms, [expand_prefixes/3, given_value/2, solution_shown/5]).

/** <module> Prolog questions put to an engine from outside

A question is the text of a goal. It sees what the module it is put to sees: the views of a background
(background.pl), those of an engine (question_views.pl), the user's predicates, and Prolog's own.

Each question runs in a Prolog engine (a coroutine) of its own, so several can be open at once, in any order; what
it leaves on the stacks goes with it. The stack limit is that of the process.
*/

:- det((open_question/8, next_answer/3, stopped_by/2, start_alarms/0, close_question/1)).

%!  open_question(+Id, +Module, +Text, +Given, +Prefixes, +Form, +Limits, -Outcome) is det.
%
%   Open a question under the name Id. Given lists [Name,Kind,Value] for variables of the question that
%   have a value: Kind `rdf` with an encoded term, or `plain` with a number, a string or a truth value. Prefixes lists
%   [Prefix,Namespace]: `Prefix:local` in the question stands for an IRI. Form is `terms` for encoded values, `text` for
%   values as Prolog writes them. Limits is [Inferences,Seconds,Sandbox]: for each answer, Seconds 0.0 for no limit
%   of time; with Sandbox `true` only what library(sandbox) calls safe is admitted.
%
%   Outcome is [open,Names] with the names of the variables; or [syntax,Position,Text] (from 0, -1 where it is not
%   known), [unsafe,Text] or [no_variable,Name]: then nothing is open.

open_question(Id, Module, Text, Given, Prefixes, Form, Limits, Outcome) :-
    catch(opened(Id, Module, Text, Given, Prefixes, Form, Limits, Outcome),
          error(Formal, Context),
          not_opened(Formal, Context, Outcome)).

opened(Id, Module, Text, Given, Prefixes, Form, [Inferences,Seconds,Sandbox], [open,Names]) :-
    read_question(Module, Text, Goal0, Bindings),
    expand_prefixes(Goal0, Prefixes, Goal),
    give_values(Given, Bindings),
    admit(Sandbox, Module:Goal, Admitted),
    findall(Name, member(Name=_, Bindings), Names),
    shown_form(Form, Module, Prefixes, Shown),
    engine_create(Last-Answer,
                  question_answer(Id, Admitted, Bindings, Inferences, Seconds, Shown, Last, Answer),
                  _,
                  [alias(Id)]).

not_opened(syntax_error(What), Context, Outcome) =>
    Outcome = [syntax,Position,Text],
    (   nonvar(Context), Context = stream(_, _, _, Known)
    ->  Position = Known
    ;   Position = -1
    ),
    message_text(error(syntax_error(What), _), Text).
not_opened(etalis_unsafe(Text), _, Outcome) =>
    Outcome = [unsafe,Text].
not_opened(etalis_no_variable(Name), _, Outcome) =>
    Outcome = [no_variable,Name].

%   A full stop at the end is welcome, as at the prompt of Prolog. What follows it would go unread.

read_question(Module, Text, Goal, Bindings) :-
    format(string(Closed), '~w~n.', [Text]),
    setup_call_cleanup(
        open_string(Closed, In),
        ( read_term(In, Goal, [variable_names(Bindings), module(Module), syntax_errors(error)]),
          read_string(In, _, Rest)
        ),
        close(In)),
    split_string(Rest, "\n", " \t\r", Lines),
    (   member(Line, Lines),
        \+ nothing(Line)
    ->  throw(error(syntax_error(end_of_clause_expected), _))
    ;   true
    ).

nothing("").
nothing(".").
nothing(Comment) :-
    sub_string(Comment, 0, _, _, "%").

give_values([], _).
give_values([[Name,Kind,Value]|Given], Bindings) :-
    (   member(Name=Variable, Bindings)
    ->  given_value(Kind-Value, Variable)
    ;   throw(error(etalis_no_variable(Name), _))
    ),
    give_values(Given, Bindings).

admit(true, Goal, Admitted) =>
    catch(safe_goal(Goal), Error, unsafe(Error)),
    Admitted = etalis_questions:keeping_flags(Goal).
admit(_, Goal, Admitted) =>
    Admitted = Goal.

unsafe(Error) :-
    message_text(Error, Text),
    throw(error(etalis_unsafe(Text), _)).

%   keeping_flags(:Goal): library(sandbox) lets a goal change how text is read, which would be so for everybody.

:- public keeping_flags/1.

keeping_flags(Goal) :-
    findall(Flag-Value, ( flag_of_all(Flag), current_prolog_flag(Flag, Value) ), Before),
    setup_call_cleanup(
        true,
        Goal,
        forall(member(Flag-Value, Before), set_prolog_flag(Flag, Value))).

flag_of_all(double_quotes).
flag_of_all(back_quotes).
flag_of_all(rational_syntax).
flag_of_all(var_prefix).

shown_form(terms, Module, _, terms(Module)).
shown_form(text, Module, Prefixes, text(Module, Prefixes)).

% ---- within the engine --------------------------------------------------------------------------------------

%   question_answer(+Id, +Goal, +Bindings, +Inferences, +Seconds, +Shown, -Last, -Answer): on backtracking each
%   answer; Last is `true` if there is surely no further one.

question_answer(Id, Goal, Bindings, Inferences, Seconds, Shown, Last, Answer) :-
    open_string("", Nothing),           % read/1 finds the end of a file, not what is typed for somebody else
    set_input(Nothing),
    guarded(Id, Inferences, Seconds,
            ( call_with_inference_limit(Goal, Inferences, Result),
              solution_shown(Shown, Bindings, Answer, _, _)
            )),
    (   Result == inference_limit_exceeded
    ->  throw(error(etalis_limit(inferences, Inferences), _))
    ;   Result == (!)
    ->  Last = true
    ;   Last = false
    ).

%   guarded(+Id, +Inferences, +Seconds, :Goal): each answer may take Seconds (0.0: any time), and twice as many
%   inferences, for a goal that catches whatever is thrown would not notice its limit. What is too long is
%   aborted, which no goal can catch for good. An alarm looks now and then.

guarded(Id, Inferences, Seconds, Goal) :-
    setup_call_cleanup(
        alarm(1, etalis_questions:look(Id, Inferences, Seconds), Alarm, [install(false)]),
        ( look_from_now(Alarm, Seconds),
          call(Goal),
          (   uninstall_alarm(Alarm)
          ;   look_from_now(Alarm, Seconds),
              fail
          )
        ),
        remove_alarm(Alarm)).

look_from_now(Alarm, Seconds) :-
    statistics(inferences, Before),
    get_time(Began),
    nb_setval(etalis_guard, guard(Alarm, Before, Began)),   % on going back into the goal it counts, too
    look_later(Alarm, Seconds).

look_later(Alarm, Seconds) :-
    (   Seconds =:= 0
    ->  Next = 0.5
    ;   Next is min(0.5, Seconds)
    ),
    install_alarm(Alarm, Next).

:- public look/3.
:- dynamic looks_by/2, stopped/2.

look(Id, Inferences, Seconds) :-
    (   looks_by(Id, Look)
    ->  look(Look)
    ;   true
    ),
    nb_getval(etalis_guard, guard(Alarm, Before, Began)),
    statistics(inferences, Count),
    get_time(Now),
    (   Seconds > 0, Now - Began >= Seconds
    ->  stop(Id, error(etalis_limit(seconds, Seconds), _))
    ;   Count - Before > 2 * Inferences
    ->  stop(Id, error(etalis_limit(inferences, Inferences), _))
    ;   uninstall_alarm(Alarm),     % it went off, but counts as installed still
        look_later(Alarm, Seconds)
    ).

stop(Id, Reason) :-
    assertz(stopped(Id, Reason)),
    abort.

% ---- from outside -------------------------------------------------------------------------------------------

%!  next_answer(+Id, +Look, -Outcome) is det.
%
%   Outcome is [answer,Last,Values,Residuals] as solution_shown/5 gives them, [end], or [error,Text]. After all but the
%   first the question is closed. Look is the function that says whether the goal is to end (interruption.pl).
%
%   @throws unwind(abort), '$aborted': the goal was stopped; stopped_by/2 has the outcome

next_answer(Id, Look, Outcome) :-
    setup_call_cleanup(
        asserta(looks_by(Id, Look), Reference),
        catch(next(Id, Outcome), Error, failed(Error, Outcome)),
        erase(Reference)).

next(Id, Outcome) :-
    (   call_cleanup(engine_next(Id, Last-[Values,Residuals]), flush_output(user_output))
    ->  Outcome = [answer,Last,Values,Residuals]
    ;   Outcome = [end]
    ).

%!  stopped_by(+Id, -Outcome) is det.
%
%   The Outcome of a question that was aborted.

stopped_by(Id, Outcome) :-
    (   retract(stopped(Id, Reason))
    ->  failed(Reason, Outcome)
    ;   Outcome = [error,"it aborts"]
    ).

failed(Error, Outcome) =>
    Outcome = [error,Text],
    error_text(Error, Text).

error_text(error(etalis_limit(inferences, Limit), _), Text) =>
    format(string(Text), 'it does not come to an end within ~D inferences', [Limit]).
error_text(error(etalis_limit(seconds, Limit), _), Text) =>
    format(string(Text), 'it does not come to an end within ~w s', [Limit]).
error_text(error(resource_error(Resource), _), Text) =>
    format(string(Text), 'it needs more ~w than there is', [Resource]).
error_text(error(Formal, Context), Text), nonvar(Formal) =>
    message_text(error(Formal, Context), Text).
error_text(Thrown, Text) =>
    format(string(Text), 'it throws ~q', [Thrown]).

%!  start_alarms is det.
%
%   Start the thread that alarms come from, which has the signal mask of the thread that asks first.

start_alarms :-
    setup_call_cleanup(alarm(1000, true, Alarm, []), true, remove_alarm(Alarm)).

%!  close_question(+Id) is det.
%
%   Give back all that the question holds; it may be closed already.

close_question(Id) :-
    retractall(stopped(Id, _)),
    catch(engine_destroy(Id), error(existence_error(_, _), _), true).
