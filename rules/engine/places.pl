:- module(etalis_places,
          [ default_stream/1,           % -Stream
            place/3,                    % +Stream, +Graph, -Place
            located/2,                  % +Set, -Occurrences
            is_first/1,                 % +Place
            stream_of/2,                % +Place, -Stream
            element_of/4,               % +Place, +Start, +End, -Element
            triple_of/4,                % +Place, +Start, +End, -Triple
            each_by_itself/2,           % +Occurrences, -All
            by_itself/2,                % +Occurrence, -Place
            element_identity/4          % +Place, +Start, +End, -Identity
          ]).
:- use_module(library(lists), [append/3, member/2]).

/** <module> Where an occurrence is from: its stream and its element

Used where a pattern asks for it (STREAM, EVENT, GRAPH over elements); elsewhere the place of an occurrence is [].
A place is place(Stream, Graph); Graph is '' where the element has no name.

The same triple with the same interval may come in several streams, and in several elements of a stream. A pattern that
asks for neither matches it once; one that asks for the stream, once in each stream; one that asks for the element, in
each element. So the occurrences of an instant are told apart: the first(Stream, Graph) with a triple and start, a
copy(Stream, Graph) of it in another stream, and the same again(Stream, Graph) in another element of the stream.

An element is the occurrences with one stream, graph and interval (docs/semantics.md#streams-and-elements). Its
identity is an atom that is made of these.

A pattern in a window of triples asks which triple of a stream it matches, or is entailed by what it matches. For it each
triple of an element is there once more, by itself, in place(Stream, Graph, Triple): so is what it entails.
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
    located(Set, none, none, Located).

located([], _, _, []).
located([Occurrence|Set], Triple0, Stream0, [Occurrence|Located]) :-
    arg(5, Occurrence, place(_,_,_)),
    !,
    located(Set, Triple0, Stream0, Located).
located([occ(S,P,O,Start,Place)|Set], Triple0, Stream0, [occ(S,P,O,Start,Where)|Located]) :-
    Triple = t(S,P,O,Start),
    Place = place(Stream, Graph),
    (   Triple0 \== Triple
    ->  Where = first(Stream, Graph)
    ;   Stream0 \== Stream
    ->  Where = copy(Stream, Graph)
    ;   Where = again(Stream, Graph)
    ),
    located(Set, Triple, Stream, Located).

%!  is_first(+Place) is semidet.
%!  stream_of(+Place, -Stream) is semidet.
%!  element_of(+Place, +Start, +End, -Element) is semidet.
%!  triple_of(+Place, +Start, +End, -Triple) is semidet.
%
%   Which patterns see an occurrence as a new one: those that take it from anywhere; those that ask for its
%   stream(IRI); those that ask for its element(IRI, Graph, Identity), or triple(IRI, Graph, Identity). Of a single
%   occurrence Place is place/2.

is_first(place(_, _)).
is_first(first(_, _)).

stream_of(place(Stream, _), stream(Stream)).
stream_of(first(Stream, _), stream(Stream)).
stream_of(copy(Stream, _), stream(Stream)).

element_of(Place, Start, End, element(Stream, Graph, Identity)) :-
    Place =.. [_,Stream,Graph],
    element_identity(Place, Start, End, Identity).

triple_of(Place, Start, End, triple(Stream, Graph, Identity)) :-
    Place = place(Stream, Graph, _),
    element_identity(Place, Start, End, Identity).

%!  each_by_itself(+Occurrences, -All) is det.
%
%   All has each of Occurrences also by itself.

each_by_itself(Occurrences, All) :-
    findall(occ(S,P,O,Start,Place),
            (   member(Occurrence, Occurrences),
                Occurrence = occ(S,P,O,Start,_),
                by_itself(Occurrence, Place)
            ),
            Copies),
    append(Occurrences, Copies, All).

%!  by_itself(+Occurrence, -Place) is semidet.

by_itself(occ(S,P,O,_,place(Stream,Graph)), place(Stream, Graph, t(S,P,O))).

%!  element_identity(+Place, +Start, +End, -Identity) is det.
%
%   An atom; triple(Element, Triple) of a triple by itself.

element_identity(Place, Start, End, Identity) :-
    arg(1, Place, Stream),
    arg(2, Place, Graph),
    atomic_list_concat([Stream,Graph,Start,End], ' ', Element),
    (   Place = place(_, _, Triple)
    ->  Identity = triple(Element, Triple)
    ;   Identity = Element
    ).
