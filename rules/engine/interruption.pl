:- module(etalis_interruption,
          [ ask_to_look/2,              % +Thread, +Look
            look/1                      % +Look
          ]).

/** <module> Calls from Python that can be ended while they run

See etalis_py/embedding/interruption.py. Look is a function of Python's that says whether the call is to end.
*/

%!  ask_to_look(+Thread, +Look) is det.
%
%   The goal that Thread runs is interrupted by look/1, as soon as it can be. A thread that is gone is nobody's loss.

ask_to_look(Thread, Look) :-
    catch(thread_signal(Thread, etalis_interruption:look(Look)), error(existence_error(_, _), _), true).

%!  look(+Look) is det.
%
%   Abort, if that is wanted.

look(Look) :-
    py_call(Look:'__call__'(), Ends),
    (   Ends == @(true)
    ->  abort
    ;   true
    ).
