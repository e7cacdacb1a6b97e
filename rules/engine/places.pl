:- module(etalis_places,
          [ place/3,                    % +Stream, +Graph, -Place
            located/2,                  % +Set, -Occurrences
            seen_as/4                   % +Place, +Start, +End, -Seen
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
*/

%!  place(+Stream, +Graph, -Place) is det.

place(Stream, Graph, place(Stream, Graph)).

%!  located(+Set, -Occurrences) is det.
%
%   Set is a sorted set of occ(S,P,O,Start,Place). In Occurrences Place says how much of it is new. What was
%   sent before any query asked for places, and has none, comes as `unknown`.

located(Set, Located) :-
    located(Set, none, none, Located).

located([], _, _, []).
located([occ(S,P,O,Start,Place)|Set], Triple0, Stream0, [occ(S,P,O,Start,Where)|Located]) :-
    Triple = t(S,P,O,Start),
    (   Place = place(Stream, Graph)
    ->  (   Triple0 \== Triple
        ->  Where = first(Stream, Graph)
        ;   Stream0 \== Stream
        ->  Where = copy(Stream, Graph)
        ;   Where = again(Stream, Graph)
        )
    ;   Stream = none,
        Where = unknown
    ),
    located(Set, Triple, Stream, Located).

%!  seen_as(+Place, +Start, +End, -Seen) is multi.
%
%   Which patterns see an occurrence as a new one: those that take it from `anywhere`, those that ask for its
%   stream(Stream), and those that ask for its element(Stream, Graph, Identity).

seen_as(unknown, _, _, anywhere).
seen_as(first(_, _), _, _, anywhere).
seen_as(first(Stream, _), _, _, stream(Stream)).
seen_as(first(Stream, Graph), Start, End, Element) :-
    element(Stream, Graph, Start, End, Element).
seen_as(copy(Stream, _), _, _, stream(Stream)).
seen_as(copy(Stream, Graph), Start, End, Element) :-
    element(Stream, Graph, Start, End, Element).
seen_as(again(Stream, Graph), Start, End, Element) :-
    element(Stream, Graph, Start, End, Element).

element(Stream, Graph, Start, End, element(Stream, Graph, Identity)) :-
    atomic_list_concat([Stream,Graph,Start,End], ' ', Identity).
