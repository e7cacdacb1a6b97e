% What a map shows of the agents, beside what traffic.pl remembers: which leg each of them drives.

:- prefix('', 'urn:etalis:delivery:').

:- state(drives_to(Agent, Leg),
         begins("?Agent :leavesFor ?Leg"),
         ends("?Agent :reaches ?Leg")).
