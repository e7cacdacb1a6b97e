:- module(etalis_background_names,
          [ background_name/3,          % +Background, +Kind, +Name
            background_names/3          % +Background, +Kind, -Names
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(background, [background_predicate/3, explicit_triple/4]).
:- use_module(rdfs_names, []).
:- use_module(library(macros)).

#import(rdfs_names).

/** <module> Which names the background uses, for hints to who misspells one
*/

%!  background_name(+Background, +Kind, +Name) is semidet.
%
%   Name is one of background_names/3; quick, however many there are.

background_name(M, Kind, Name) :-
    once(name(Kind, M, Name)).

%!  background_names(+Background, +Kind, -Names) is det.
%
%   Names are the IRIs that the files use or declare as a property or as a class (Kind), each once.

:- det(background_names/3).

background_names(M, Kind, Names) :-
    findall(Name, ( name(Kind, M, Name), atom(Name), \+ sub_atom(Name, 0, _, _, '_:') ), All),
    sort(All, Names).

name(property, M, Property) :-
    background_predicate(M, Property, _).
name(property, M, Property) :-
    member(Schema, [#rdfs(domain),#rdfs(range)]),
    explicit_triple(M, Property, Schema, _).
name(property, M, Property) :-
    side(M, #rdfs(subPropertyOf), Property).
name(class, M, Class) :-
    member(Schema, [#rdfs(domain),#rdfs(range)]),
    explicit_triple(M, _, Schema, Class).
name(class, M, Class) :-
    side(M, #rdfs(subClassOf), Class).
name(class, M, Class) :-
    ( nonvar(Class) -> true ; described(M) ),
    explicit_triple(M, _, #rdf(type), Class).
name(Kind, M, Name) :-
    declares(Type, Kind),
    explicit_triple(M, Name, #rdf(type), Type).

side(M, Property, Name) :-
    explicit_triple(M, Name, Property, _).
side(M, Property, Name) :-
    explicit_triple(M, _, Property, Name).

%   Where a great many things have a type, the declared classes have to do: no hint is worth seconds.

described(M) :-
    background_predicate(M, #rdf(type), Table),
    functor(Head, Table, 2),
    predicate_property(M:Head, number_of_clauses(Count)),
    Count =< 100000.

declares(#rdfs('Class'), class).
declares('http://www.w3.org/2002/07/owl#Class', class).
declares(#rdf('Property'), property).
declares('http://www.w3.org/2002/07/owl#ObjectProperty', property).
declares('http://www.w3.org/2002/07/owl#DatatypeProperty', property).
