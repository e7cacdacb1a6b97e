:- module(etalis_around,
          [ around/3                    % :Before, :Goal, :After
          ]).

/** <module> What is on while a goal runs, and off between its solutions
*/

:- meta_predicate around(0, 0, 0).

%!  around(:Before, :Goal, :After) is nondet.
%
%   Goal, with Before called before it runs and before it goes on, and After when it has come to a solution, to its end
%   or to an error. Both are det.

around(Before, Goal, After) :-
    call(Before),
    (   catch(Goal, Error, ( call(After), throw(Error) ))
    ;   call(After),
        fail
    ),
    (   call(After)
    ;   call(Before),
        fail
    ).
