:- module(etalis_question_symbols,
          [ gensym/2,                   % +Base, -Symbol
            reset_gensym/0,
            reset_gensym/1              % +Base
          ]).
:- use_module(library(error), [must_be/2]).

/** <module> library(gensym) for a question in the sandbox

The counts of library(gensym) are those of the process: a question would tell what others have asked. Here they are
global variables, which each Prolog engine has of its own, so they begin with the question and go with it.
*/

:- det((gensym/2, reset_gensym/0, reset_gensym/1)).

%!  gensym(+Base, -Symbol) is det.
%
%   Base with the next number from 1 on.

gensym(Base, Symbol) :-
    count_of(Base, Count, Before),
    Number is Before+1,
    nb_setval(Count, Number),
    atom_concat(Base, Number, Symbol).

count_of(Base, Count, Before) :-
    must_be(atomic, Base),
    atom_concat(etalis_count_of_, Base, Count),
    (   nb_current(Count, Before)
    ->  true
    ;   Before = 0
    ).

%!  reset_gensym(+Base) is det.
%
%   Begin with 1 again.

reset_gensym(Base) :-
    count_of(Base, Count, _),
    nb_setval(Count, 0).

%!  reset_gensym is det.
%
%   The same for all that were counted.

reset_gensym :-
    forall(( nb_current(Count, _), sub_atom(Count, 0, _, _, etalis_count_of_) ),
           nb_setval(Count, 0)).
