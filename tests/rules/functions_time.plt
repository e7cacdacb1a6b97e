:- module(test_functions_time, []).
:- use_module(notation).
:- use_module('../../rules/sparql/functions_time').
:- use_module('../../rules/sparql/times').
:- use_module(library(macros)).
:- use_module(library(plunit)).

#import('../../rules/engine/fields').

value(f_year,     ["2011-01-10T14:45:13.815-05:00":dateTime], "2011":integer).
value(f_month,    ["2011-01-31T23:59:59-05:00":dateTime],     "1":integer).
value(f_day,      ["2011-01-31T23:59:59-05:00":dateTime],     "31":integer).
value(f_hours,    ["2011-01-10T14:45:13.815-05:00":dateTime], "14":integer).
value(f_hours,    ["2011-01-10T14:45:13Z":dateTime],          "14":integer).
value(f_hours,    ["2011-01-10T24:00:00Z":dateTime],          "0":integer).
value(f_day,      ["2011-01-10T24:00:00Z":dateTime],          "11":integer).
value(f_minutes,  ["2011-01-10T14:45:13.815+05:30":dateTime], "45":integer).
value(f_seconds,  ["2011-01-10T14:45:13.8150Z":dateTime],     "13.815":decimal).
value(f_year,     ["-0044-03-15T00:00:00Z":dateTime],         "-44":integer).
value(f_year,     ["1969-12-31T23:59:59.5":dateTime],         "1969":integer).
value(f_year,     ["2011-01-10T00:00:00Z":dateTimeStamp],     "2011":integer).
value(f_year,     ["2011-01-10":dateTime],                    error).
value(f_year,     ["2011":integer],                           error).
value(f_year,     ["P1Y":duration],                           error).
value(f_year,     [unbound],                                  error).
value(f_timezone, ["2011-01-10T14:45:13.815-05:00":dateTime], "-PT5H":dayTimeDuration).
value(f_timezone, ["2011-01-10T14:45:13.815Z":dateTime],      "PT0S":dayTimeDuration).
value(f_timezone, ["2011-01-10T14:45:13+05:30":dateTime],     "PT5H30M":dayTimeDuration).
value(f_timezone, ["2011-01-10T14:45:13":dateTime],           error).
value(f_tz,       ["2011-01-10T14:45:13.815-05:00":dateTime], "-05:00").
value(f_tz,       ["2011-01-10T14:45:13.815000Z":dateTime],   "Z").
value(f_tz,       ["2011-01-10T14:45:13":dateTime],           "").
value(f_tz,       ["2011-01-10T14:45:13.123456":dateTime],    "").
value(f_tz,       ['urn:a'],                                  error).
value(f_year,     ["0000-02-29T00:00:00Z":dateTime],         "0":integer).
value(f_year,     ["12000-01-01T00:30:00+01:00":dateTime],    "12000":integer).
value(f_day,      ["12000-01-01T00:30:00+01:00":dateTime],    "1":integer).
value(f_year,     ["2016-12-31T23:59:60Z":dateTime],          error).      % a leap second
value(f_seconds,  ["1969-12-31T23:59:59.999999Z":dateTime],   "59.999999":decimal).
value(f_seconds,  ["1970-01-01T00:00:00.0000001Z":dateTime],  error).      % finer than a microsecond
value(f_timezone, ["2011-01-10T14:45:13+00:00":dateTime],     "PT0S":dayTimeDuration).
value(f_timezone, ["2011-01-10T14:45:13-14:00":dateTime],     "-PT14H":dayTimeDuration).
value(f_timezone, ["2011-01-10T14:45:13+14:01":dateTime],     error).
value(f_tz,       ["2011-01-10T14:45:13+00:00":dateTime],     "+00:00").
value(f_getstarttime, [316516204800000000],                   "12000-01-01T00:00:00Z":dateTime).
value(f_getendtime,   [-62198755200000001],                   "-0002-12-31T23:59:59.999999Z":dateTime).
value(f_getduration,  [-62198755200000000, 316516204800000000], "P4383275D":duration).
value(f_getduration,  [1000000, 3500000],                     "PT2.5S":duration).
value(f_getduration,  [5, 5],                                 "PT0S":duration).
value(f_getduration,  [6, 5],                                 error).
value(f_getstarttime, [2000000],                              "1970-01-01T00:00:02Z":dateTime).
value(f_getendtime,   [-1],                                   "1969-12-31T23:59:59.999999Z":dateTime).

begin_instant(Time) :-
    b_setval(etalis_instant, #new_instant(Time, [])).

:- begin_tests(functions_time).

test(value, [forall(value(Function, Arguments, Expected)), Value == Expected]) :-
    gives(Function, Arguments, Value).
test(now, Value == "1970-01-01T00:00:02Z":dateTime) :-
    begin_instant(2000000),
    gives(f_now, [], Value).
test(no_now, Value == error) :-
    gives(f_now, [], Value).

:- end_tests(functions_time).

:- begin_tests(times).

% A walk through the calendar, across leap years, centuries and the year 0.
test(days, [forall(( between(-2000, 2000, Step), Day is Step*38813 + 13 )), Again == Day]) :-
    date_from_days(Day, Year, Month, OfMonth),
    days_from_date(Year, Month, OfMonth, Again).
test(epoch, Year-Month-Day == 1970-1-1) :-
    date_from_days(0, Year, Month, Day).
test(year_zero, Days == -719528) :-
    days_from_date(0, 1, 1, Days).
test(february, [forall(member(Year-Length, [2011-28, 2012-29, 1900-28, 2000-29, 0-29])), Actual == Length]) :-
    month_length(Year, 2, Actual).
test(december, Length == 31) :-
    month_length(2011, 12, Length).

:- end_tests(times).
