% What is remembered of the stream: these three can be asked like any Prolog predicate. docs/state.md has the rules.
%
%     closed(Segment)             it was closed and has not been opened
%     speed(Segment, Speed)       it is slow: the speed that is driven there, in km/h
%     way(Leg, From, Way)         the new way of a leg under way, from the junction From on

:- prefix('', 'urn:etalis:delivery:').

:- state(closed(Segment),
         begins("?Segment :status :Closed"),
         ends("?Segment :status :Open")).

:- state(speed(Segment, Speed),
         begins("?Segment :speed ?Speed"),
         ends("{ ?Segment :speed ?before } UNION { ?Segment :flow :Free }")).

:- state(way(Leg, From, Way),
         begins("{ ?Leg :goesBy ?Way } EQUALS { ?Leg :blockedAt ?From }"),
         ends("{ ?Leg :goesBy ?before } UNION { ?agent :reaches ?Leg }")).
