:- module(etalis_kernel_background, [start/1, batch/6, loop/6]).

/** <module> ?device :reading ?value . ?device :inRoom ?room, the rooms being background

The option is the list of [Device,Room].
*/

:- include(columns).

:- dynamic in_room/2.

start(Facts) :-
    remember_option(none),
    retractall(in_room(_, _)),
    forall(member([Device,Room], Facts), assertz(in_room(Device, Room))).

step(1, Device, Value, T, _, [Device,Value,Room,T,T]) :-
    in_room(Device, Room).
