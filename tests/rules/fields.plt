:- module(test_fields, []).
:- use_module(library(macros)).
:- use_module(library(plunit)).

#import('../../rules/engine/fields').

% Macros stand for something outside of a unit only.

walk(Values) :-
    Walk = #new_walk(1, 2, engine, drop),
    findall(Value,
            (   member(Place, [#walk(clock), #walk(turn), #walk(stop), #walk(open), #walk(engine), #walk(on_late),
                               #walk(cut), #walk(given), #walk(counts)]),
                arg(Place, Walk, Value)
            ),
            Values).

instant(Values) :-
    Instant = #new_instant(1, [occurrence]),
    findall(Value,
            (   member(Place, [#instant(time), #instant(occurrences), #instant(derived), #instant(derived_again),
                               #instant(rank), #instant(due), #instant(due_last), #instant(used), #instant(added),
                               #instant(trie), #instant(adding)]),
                arg(Place, Instant, Value)
            ),
            Values).

:- begin_tests(fields).

test(walk, Values == [1, 2, 0, [], engine, drop, none, none, []]) :-
    walk(Values).
test(instant, Values == [1, [occurrence], 0, 0, 0, 0, 0, [], [], none, none]) :-
    instant(Values).
test(other_name, error(existence_error(matching_rule, _))) :-
    etalis_fields:'$macro'(walk(nothing), _).

:- end_tests(fields).
