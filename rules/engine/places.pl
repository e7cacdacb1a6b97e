:- module(etalis_places,
          [ default_stream/1,           % -Stream
            place/3,                    % +Stream, +Graph, -Place
            located/2,                  % +Set, -Occurrences
            is_first/1,                 % +Place
            stream_of/2,                % +Place, -Stream
            element_of/4,               % +Place, +Start, +End, -Element
            triple_of/5,                % +Place, +Triple, +Start, +End, -Sent
            with_triple/2,              % +Occurrence, -WithTriple
            element_identity/4          % +Place, +Start, +End, -Identity
          ]).

/** <module> Where an occurrence is from: its stream and its element

Used where a pattern asks for it (STREAM, EVENT, GRAPH over elements); elsewhere the place of an occurrence is [].
A place is place(Stream, Graph); Graph is '' where the element has no name.

The same triple with the same interval may come in several streams, and in several elements of a stream. A pattern that
asks for neither matches it once; one that asks for the stream, once in each stream; one that asks for the element, in
each element. So the occurrences of an instant are told apart: the first(Stream, Graph) with a triple and start, a
copy(Stream, Graph) of it in another stream, and the same again(Stream, Graph) in another element of the stream.

An element is the occurrences with one stream, graph and interval (docs/semantics.md#streams-and-elements). Its
identity is an atom that is made of these.

A pattern in a window of triples asks of which triple of the stream an occurrence is, or follows. Where there is such a
pattern, and a background that entails something, a place is place(Stream, Graph, Triple), and so are those above; what
follows from a second triple of the element, too, is one more(Stream, Graph, Triple). Else an occurrence is of itself.
*/

%!  default_stream(-Stream) is det.
%
%   The stream of what names none (etalis_py/core/vocabulary.py).

default_stream('urn:etalis:default').

%!  place(+Stream, +Graph, -Place) is det.

place(Stream, Graph, place(Stream, Graph)).

%!  located(+Set, -Occurrences) is det.
%
%   Set is a sorted set of occ(S,P,O,Start,Place). In Occurrences Place says how much of it is new.

located(Set, Located) :-
    located(Set, none, none, none, Located).

located([], _, _, _, []).
located([occ(S,P,O,Start,Place)|Set], Triple0, Stream0, Graph0, [occ(S,P,O,Start,Where)|Located]) :-
    Triple = t(S,P,O,Start),
    Place =.. [place,Stream,Graph|Of],
    (   Triple0 \== Triple
    ->  New = first
    ;   Stream0 \== Stream
    ->  New = copy
    ;   Graph0 \== Graph
    ->  New = again
    ;   New = more
    ),
    Where =.. [New,Stream,Graph|Of],
    located(Set, Triple, Stream, Graph, Located).

%!  is_first(+Place) is semidet.
%!  stream_of(+Place, -Stream) is semidet.
%!  element_of(+Place, +Start, +End, -Element) is semidet.
%!  triple_of(+Place, +Triple, +Start, +End, -Sent) is det.
%
%   Which patterns see an occurrence as a new one: those that take it from anywhere; those that ask for its
%   stream(IRI); those that ask for its element(IRI, Graph, Identity), or for the triple(IRI, Graph, Identity) that was
%   sent. Of a single occurrence Place is place/2.

is_first(Place) :-
    functor(Place, New, _),
    ( New == place -> true ; New == first ).

stream_of(Place, stream(Stream)) :-
    functor(Place, New, _),
    New \== again,
    New \== more,
    arg(1, Place, Stream).

element_of(Place, Start, End, element(Stream, Graph, Identity)) :-
    \+ functor(Place, more, _),
    arg(1, Place, Stream),
    arg(2, Place, Graph),
    element_identity(Place, Start, End, Identity).

triple_of(Place, Triple, Start, End, triple(Stream, Graph, triple(Identity, Sent))) :-
    arg(1, Place, Stream),
    arg(2, Place, Graph),
    ( arg(3, Place, Of) -> Sent = Of ; Sent = Triple ),
    element_identity(Place, Start, End, Identity).

%!  with_triple(+Occurrence, -WithTriple) is det.
%
%   An occurrence of the stream, in place(Stream, Graph, Triple).

with_triple(occ(S,P,O,Start,place(Stream,Graph)), With) =>
    With = occ(S,P,O,Start,place(Stream,Graph,t(S,P,O))).
with_triple(Occurrence, With) =>        % a solution of an earlier stage
    With = Occurrence.

%!  element_identity(+Place, +Start, +End, -Identity) is det.
%
%   An atom; that of a triple is triple(Identity, Triple).

element_identity(Place, Start, End, Identity) :-
    arg(1, Place, Stream),
    arg(2, Place, Graph),
    atomic_list_concat([Stream,Graph,Start,End], ' ', Identity).
