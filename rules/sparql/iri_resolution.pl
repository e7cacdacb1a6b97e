:- module(etalis_iri_resolution,
          [ resolve_reference/3         % +Reference, +Base, -Iri
          ]).
:- use_module(library(lists), [append/2, append/3, memberchk/2, reverse/2]).

/** <module> Relative IRIs

Reference resolution of RFC 3986, section 5.2, without normalizing, as compiler/parse/iris.py does it for the IRIs that
a query writes. library(uri) loses the reference where the base has an authority and no path.
*/

%!  resolve_reference(+Reference, +Base, -Iri) is semidet.
%
%   The IRI, an atom, that Reference, the text of a relative IRI, means where Base is the base IRI. Fails if
%   Base has no scheme.

resolve_reference(Reference, Base, Iri) :-
    atom_codes(Base, BaseCodes),
    up_to(`:/?#`, BaseCodes, Scheme, [0':|AfterScheme]),
    split(AfterScheme, parts(BaseAuthority, BasePath, BaseQuery, _)),
    string_codes(Reference, Codes),
    split(Codes, parts(Authority, Path, Query, Fragment)),
    (   Authority \== []
    ->  without_dots(Path, Clean),
        Parts = [Authority, Clean, Query]
    ;   Path \== []
    ->  merged(Path, BaseAuthority, BasePath, Merged),
        without_dots(Merged, Clean),
        Parts = [BaseAuthority, Clean, Query]
    ;   Query \== []
    ->  Parts = [BaseAuthority, BasePath, Query]
    ;   Parts = [BaseAuthority, BasePath, BaseQuery]
    ),
    append([Scheme, `:`|Parts], Start),
    append(Start, Fragment, All),
    atom_codes(Iri, All).

%   RFC 3986, appendix B, after the scheme. The parts keep their `//`, `?` and `#`; those that are missing are
%   empty.

split(Codes, parts(Authority, Path, Query, Fragment)) :-
    (   append(`//`, Rest, Codes)
    ->  up_to(`/?#`, Rest, Name, Hierarchy),
        append(`//`, Name, Authority)
    ;   Authority = [],
        Hierarchy = Codes
    ),
    up_to(`?#`, Hierarchy, Path, AfterPath),
    up_to(`#`, AfterPath, Query, Fragment).

up_to(Stops, Codes, Before, After) :-
    (   Codes = [Code|Rest],
        \+ memberchk(Code, Stops)
    ->  Before = [Code|More],
        up_to(Stops, Rest, More, After)
    ;   Before = [],
        After = Codes
    ).

%   Section 5.2.3: the base's path up to its last slash, then the reference's.

merged([0'/|Path], _, _, Merged) =>
    Merged = [0'/|Path].
merged(Path, [_|_], [], Merged) =>
    Merged = [0'/|Path].
merged(Path, _, BasePath, Merged) =>
    (   append(Folder, Name, BasePath),
        \+ memberchk(0'/, Name)
    ->  append(Folder, Path, Merged)
    ).

%   Section 5.2.4: the path with its `.` and `..` segments taken out.

without_dots(Path, Clean) :-
    (   memberchk(0'., Path)
    ->  string_codes(Text, Path),
        split_string(Text, "/", "", Segments),
        (   Segments = [""|Names]
        ->  Start = "/"
        ;   Names = Segments,
            Start = ""
        ),
        kept(Names, [], Kept),
        atomic_list_concat(Kept, /, Joined),
        string_concat(Start, Joined, Shown),
        string_codes(Shown, Clean)
    ;   Clean = Path
    ).

%   Kept0 holds what is kept so far, the last first; a dot segment at the end leaves its slash.

kept([], Kept0, Kept) => reverse(Kept0, Kept).
kept(["."], Kept0, Kept) => reverse([""|Kept0], Kept).
kept([".."], [_|Kept0], Kept) => reverse([""|Kept0], Kept).
kept([".."], [], Kept) => Kept = [""].
kept(["."|Segments], Kept0, Kept) => kept(Segments, Kept0, Kept).
kept([".."|Segments], [_|Kept0], Kept) => kept(Segments, Kept0, Kept).
kept([".."|Segments], [], Kept) => kept(Segments, [], Kept).
kept([Segment|Segments], Kept0, Kept) => kept(Segments, [Segment|Kept0], Kept).
