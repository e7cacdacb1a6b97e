:- module(etalis_aggregate_terms,
          [ term_value/4,               % +Trie, +Space, +Term, -Value
            set_term_value/4,           % +Trie, +Space, +Term, +Value
            forget_term/3,              % +Trie, +Space, +Term
            any_term/4                  % +Trie, +Space, ?Term, -Value
          ]).
:- use_module(library(lists), [member/2, memberchk/2, selectchk/3]).

/** <module> Values by terms, in tries that forget

Two things about the tries of SWI-Prolog 9.2 decide how they are used here. A string or a number that is more
than a small integer stays in a trie's table of those once it was in a key, though the key is deleted: so
terms are found by their hash. And trie_update/3 spoils the counts of references to atoms where both values
are compound terms of one size: so such a value is deleted and inserted.

The terms of a Space with one Hash are the list of Term-Value at the key terms(Space, Hash).
*/

:- det((set_term_value/4, forget_term/3)).

%!  term_value(+Trie, +Space, +Term, -Value) is semidet.

term_value(Trie, Space, Term, Value) :-
    term_hash(Term, Hash),
    trie_lookup(Trie, terms(Space, Hash), [Term0-Value0|Others]),
    (   Term = Term0
    ->  Value = Value0
    ;   memberchk(Term-Value, Others)
    ).

%!  set_term_value(+Trie, +Space, +Term, +Value) is det.
%
%   Term may have had another value, or none.

set_term_value(Trie, Space, Term, Value) :-
    term_hash(Term, Hash),
    Key = terms(Space, Hash),
    (   trie_delete(Trie, Key, Pairs)
    ->  ( selectchk(Term-_, Pairs, Others) -> true ; Others = Pairs ),
        trie_insert(Trie, Key, [Term-Value|Others])
    ;   trie_insert(Trie, Key, [Term-Value])
    ).

%!  forget_term(+Trie, +Space, +Term) is det.

forget_term(Trie, Space, Term) :-
    term_hash(Term, Hash),
    Key = terms(Space, Hash),
    trie_delete(Trie, Key, Pairs),
    selectchk(Term-_, Pairs, Others),
    (   Others == []
    ->  true
    ;   trie_insert(Trie, Key, Others)
    ).

%!  any_term(+Trie, +Space, ?Term, -Value) is nondet.
%
%   As term_value/4, for a Term that may be unbound: then it enumerates those there were at the call.

any_term(Trie, Space, Term, Value) :-
    (   ground(Term)
    ->  term_value(Trie, Space, Term, Value)
    ;   findall(Term-Value,
                ( trie_gen(Trie, terms(Space, _), Pairs), member(Term-Value, Pairs) ),
                Found),
        member(Term-Value, Found)
    ).
