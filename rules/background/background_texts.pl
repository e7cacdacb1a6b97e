:- module(etalis_background_texts,
          [ stored_triple/4,            % +Background, +Table, ?Subject, ?Object
            forget_texts/1              % +Background
          ]).

/** <module> Triples found by a literal that Prolog does not index

When Prolog looks for a clause by a literal, it looks at one level of it. It tells strings of more than 32 bytes
apart by their beginning, end and length alone, and values that are terms themselves, such as lexical(0.5,"0.50") and
duration(0,1000), not at all: it would try all of them. So where such an object is given and the subject is wanted,
the subjects are found by a hash of the whole: '$texts'(Table, Texts) names a predicate Texts(Hash, Subject), made
when it is asked for the first time.
*/

%   A string of so many characters may have more than 32 bytes.

longest_told_apart(24).

%!  stored_triple(+Background, +Table, ?Subject, ?Object) is nondet.
%
%   A clause of Table (see background.pl), each once.

stored_triple(M, Table, S, O) :-
    (   var(S),
        is_hidden(O),
        M:'$entailment'(_)              % all triples are in
    ->  text_table(M, Table, Texts),
        term_hash(O, Hash),
        call(M:Texts, Hash, S)
    ;   true
    ),
    call(M:Table, S, O).

is_hidden(O) :-
    compound(O),
    arg(1, O, Value),
    (   string(Value)
    ->  string_length(Value, Length),
        longest_told_apart(Most),
        Length > Most
    ;   compound(Value)
    ).

text_table(M, Table, Texts) :-
    M:'$texts'(Table, Known),
    !,
    Texts = Known.
text_table(M, Table, Texts) :-
    atom_concat('$texts ', Table, Texts),
    dynamic(M:Texts/2),
    forall(( call(M:Table, S, O), is_hidden(O) ),
           add_text(M, Texts, S, O)),
    assertz(M:'$texts'(Table, Texts)).

add_text(M, Texts, S, O) :-
    term_hash(O, Hash),
    (   call(M:Texts, Hash, S)
    ->  true
    ;   Fact =.. [Texts,Hash,S],
        assertz(M:Fact)
    ).

%!  forget_texts(+Background) is det.
%
%   Triples have been added.

:- det(forget_texts/1).

forget_texts(M) :-
    dynamic(M:'$texts'/2),
    forall(M:'$texts'(_, Texts),
           ( functor(Head, Texts, 2), retractall(M:Head) )),
    retractall(M:'$texts'(_, _)).
