:- module(etalis_why,
          [ inferences/4,               % +Background, +From, +To, -Inferences
            background_inferences/3     % +Background, +Triple, -Result
          ]).
:- use_module(library(apply), [maplist/3]).
:- use_module(library(assoc), [empty_assoc/1, get_assoc/3, put_assoc/4]).
:- use_module(library(lists), [append/3, member/2, reverse/2]).
:- use_module(library(macros)).
:- use_module('../background/rdfs', [background_triple/4, explicit_triple/4]).
:- use_module('../background/rdfs_axioms', [axiom_edge/4]).
:- use_module('../background/rdfs_schema', [schema_edge/4]).
:- use_module('../background/rdfs_vocabulary', [vocabulary_predicate/1, vocabulary_triple/4]).
:- use_module('../engine/terms', [decode_terms/2, encode_terms/2]).

#import('../background/rdfs_names').

/** <module> By which RDFS rules a triple follows from another

The engine asks whether a triple follows, and computes closures for that. Here one chain of rules is found, by
breadth-first search along the edges of the schema, only when somebody asks why. A triple is [S,P,O], encoded; an
inference is [Rule, Schema, Conclusion]: by Rule (rdfs2, 3, 5, 7, 9 or 11), the triple before it and the background
triple Schema give Conclusion. What nobody said, since RDFS itself says it of a class or property (rdfs_vocabulary.pl), is
the Schema and Conclusion of a first inference by the rule `vocabulary`.
*/

:- det((inferences/4, background_inferences/3)).

%!  inferences(+Background, +From, +To, -Inferences) is det.
%
%   A shortest chain from one triple to another; none where there is none.

inferences(Background, EncodedFrom, EncodedTo, Inferences) :-
    decoded(EncodedFrom, From),
    decoded(EncodedTo, To),
    (   chain(Background, From, To, Chain)
    ->  maplist(encoded_inference, Chain, Inferences)
    ;   Inferences = []
    ).

decoded(Encoded, t(S,P,O)) :-
    decode_terms(Encoded, [S,P,O]).

encoded(t(S,P,O), Encoded) :-
    encode_terms([S,P,O], Encoded).

encoded_inference(by(Rule, Schema, Triple), [Rule,EncodedSchema,EncodedTriple]) :-
    encoded(Schema, EncodedSchema),
    encoded(Triple, EncodedTriple).

%!  background_inferences(+Background, +Triple, -Result) is det.
%
%   Result is [Said, Inferences]: Triple follows from the background triple Said, which may be itself.

background_inferences(Background, Encoded, [Said,Inferences]) :-
    decoded(Encoded, Triple),
    (   asserted(Background, Triple, From, Chain)
    ->  encoded(From, Said),
        maplist(encoded_inference, Chain, Inferences)
    ;   Said = Encoded, Inferences = []
    ).

asserted(B, To, From, Chain) :-
    directly(B, To, From, Chain),
    !.
asserted(B, To, From, [by(vocabulary, From, From)|Chain]) :-
    To = t(S,_,_),
    from_vocabulary(B, S, From),
    chain(B, From, To, Chain),
    !.
asserted(B, To, From, Chain) :-             % a class of something, where rdf:type has a range
    To = t(S,_,_),
    background_triple(B, X, P, S),
    Between = t(X,P,S),
    chain(B, Between, To, After),
    directly(B, Between, From, Before),
    append(Before, After, Chain),
    !.

directly(B, t(S,P,O), t(S,P,O), []) :-
    explicit_triple(B, S, P, O),
    !.
directly(B, t(S,P,O), t(S,P,Next), Chain) :-
    transitive(P, Kind, _),
    schema_edge(B, Kind, S, Next),
    explicit_triple(B, S, P, Next),
    chain(B, t(S,P,Next), t(S,P,O), Chain),
    !.
directly(B, To, From, Chain) :-
    To = t(S,_,_),
    From = t(S0,P0,O0),
    (   S0 = S, explicit_triple(B, S, P0, O0)
    ;   O0 = S, explicit_triple(B, S0, P0, S)
    ),
    chain(B, From, To, Chain),
    !.

from_vocabulary(B, S, t(S,P,O)) :-
    transitive(P, Kind, _),
    axiom_edge(B, Kind, S, O).
from_vocabulary(B, S, t(S,P,O)) :-
    vocabulary_predicate(P),
    vocabulary_triple(B, P, S, O).

transitive(#rdfs(subClassOf), class, rdfs11).
transitive(#rdfs(subPropertyOf), property, rdfs5).

% ---- the search -----------------------------------------------------------------------------------------

chain(B, From, To, Chain) :-
    empty_assoc(Empty),
    put_assoc(From, Empty, true, Seen),
    level([From-[]], B, To, Seen, Reversed),
    !,
    reverse(Reversed, Chain).

level(Level, _, To, _, Chain) :-
    member(Triple-Chain, Level),
    Triple == To,
    !.
level(Level, B, To, Seen0, Chain) :-
    Level \== [],
    findall(Next-[by(Rule, Schema, Next)|Before],
            ( member(Triple-Before, Level), rule(B, Triple, Rule, Schema, Next) ),
            All),
    unseen(All, Seen0, Seen, New),
    level(New, B, To, Seen, Chain).

unseen([], Seen, Seen, []).
unseen([Triple-Chain|All], Seen0, Seen, New) :-
    (   get_assoc(Triple, Seen0, _)
    ->  unseen(All, Seen0, Seen, New)
    ;   put_assoc(Triple, Seen0, true, Seen1),
        New = [Triple-Chain|More],
        unseen(All, Seen1, Seen, More)
    ).

rule(B, t(S,P,O), rdfs7, t(P, #rdfs(subPropertyOf), Q), t(S,Q,O)) :-
    schema_edge(B, property, P, Q).
rule(B, t(S,P,_), rdfs2, t(P, #rdfs(domain), Class), t(S, #rdf(type), Class)) :-
    schema_edge(B, domain, P, Class).
rule(B, t(_,P,O), rdfs3, t(P, #rdfs(range), Class), t(O, #rdf(type), Class)) :-
    atom(O),
    schema_edge(B, range, P, Class).
rule(B, t(S, #rdf(type), Class), rdfs9, t(Class, #rdfs(subClassOf), Above), t(S, #rdf(type), Above)) :-
    schema_edge(B, class, Class, Above).
rule(B, t(S,P,O), Rule, t(O,P,Above), t(S,P,Above)) :-
    transitive(P, Kind, Rule),
    schema_edge(B, Kind, O, Above).
