:- module(test_functions_cast, []).
:- use_module(notation).
:- use_module('../../rules/sparql/functions_cast').
:- use_module('../../rules/sparql/functions_cast_integer').
:- use_module('../../rules/sparql/functions_cast_time').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

value(cast_string, ['urn:a'],           "urn:a").
value(cast_string, ['_:a'],             error).
value(cast_string, ["01":integer],      "1").
value(cast_string, ["1.0":decimal],     "1").
value(cast_string, ["-7.875":float],    "-7.875").
value(cast_string, ["1.0E6":double],    "1.0E6").
value(cast_string, ["123456.7":double], "123456.7").
value(cast_string, ["1.0E-6":double],   "0.000001").
value(cast_string, ["1.0E-7":double],   "1.0E-7").
value(cast_string, ["0.1":double],      "0.1").
value(cast_string, ["-0.0E0":double],   "-0").
value(cast_string, ["0E1":double],      "0").
value(cast_string, ["NaN":double],      "NaN").
value(cast_string, ["1":boolean],       "true").
value(cast_string, ["2011-01-10T14:45:13-05:00":dateTime], "2011-01-10T14:45:13-05:00").
value(cast_string, ["PT60S":duration],  "PT1M").
value(cast_string, ["x":integer],       "x").
value(cast_string, ["x"^^'urn:t'],      "x").
value(cast_string, ["x"@en],            "x").
value(cast_string, [unbound],           error).

value(cast_integer, ["13"],             "13":integer).
value(cast_integer, [" +13\n"],         "13":integer).
value(cast_integer, ["1.5"],            error).
value(cast_integer, ["-7.9":float],     "-7":integer).
value(cast_integer, ["2.5":decimal],    "2":integer).
value(cast_integer, ["NaN":double],     error).
value(cast_integer, ["INF":double],     error).
value(cast_integer, ["true":boolean],   "1":integer).
value(cast_integer, ["05":byte],        "5":integer).
value(cast_integer, ["13"@en],          error).
value(cast_integer, ["x":integer],      error).
value(cast_integer, ["1970-01-01T00:00:00Z":dateTime], error).
value(cast_integer, ['urn:a'],          error).
value(cast_integer, [unbound],          error).

value(cast_decimal, ["+33.3300"],       "33.33":decimal).
value(cast_decimal, ["-10.2E3"],        error).
value(cast_decimal, ["0.125":double],   "0.125":decimal).
value(cast_decimal, ["-0.1":double],    "-0.1":decimal).
value(cast_decimal, ["1.5E22":double],  "15000000000000000000000":decimal).
value(cast_decimal, ["1e-30":double],   "0.000000000000000000000000000001":decimal).
value(cast_decimal, ["7":integer],      "7":decimal).
value(cast_decimal, ["false":boolean],  "0":decimal).
value(cast_decimal, ["-INF":float],     error).

value(cast_double, ["-10.2E3"],         "-1.02E4":double).
value(cast_double, ["INF"],             "INF":double).
value(cast_double, ["0.1":decimal],     "1.0E-1":double).
value(cast_double, ["true":boolean],    "1.0E0":double).
value(cast_double, ["string"],          error).
value(cast_double, ["1.5":float],       "1.5E0":double).
value(cast_float,  ["1":integer],       "1.0E0":float).
value(cast_float,  ["PT1S":duration],   error).
value(cast_float,  ["0.1"],             "1.0E-1":float).
value(cast_float,  ["0.1":double],      "1.0E-1":float).
value(cast_float,  ["16777217":integer], "1.6777216E7":float).
value(cast_float,  ["1.00000017881393432617187499":decimal], "1.0000001E0":float).    % rounded once
value(cast_float,  ["1.00000017881393432617187500":decimal], "1.0000002E0":float).
value(cast_float,  ["1e39":double],     "INF":float).
value(cast_float,  ["-1e-46":double],   "-0.0E0":float).
value(cast_float,  ["NaN":double],      "NaN":float).
value(cast_double, ["0.1":float],       "1.0000000149011612E-1":double).
value(cast_decimal, ["0.1":float],      "0.1":decimal).
value(cast_string, ["0.1":float],       "0.1").
value(cast_string, ["1.0E7":float],     "1.0E7").

value(cast_byte, ["127"],               "127":byte).
value(cast_byte, ["128"],               error).
value(cast_byte, ["-128.9":decimal],    "-128":byte).
value(cast_byte, ["1e3":double],        error).
value(cast_unsignedbyte, ["-0.5":float], "0":unsignedByte).
value(cast_unsignedbyte, ["-1":integer], error).
value(cast_short, ["32768":integer],    error).
value(cast_unsignedshort, [" 065535 "], "65535":unsignedShort).
value(cast_int, ["true":boolean],       "1":int).
value(cast_unsignedint, ["4294967295":long], "4294967295":unsignedInt).
value(cast_long, ["9223372036854775808":integer], error).
value(cast_unsignedlong, ["18446744073709551615":decimal], "18446744073709551615":unsignedLong).
value(cast_positiveinteger, ["0":integer], error).
value(cast_nonnegativeinteger, ["0.9":double], "0":nonNegativeInteger).
value(cast_negativeinteger, ["-1"],     "-1":negativeInteger).
value(cast_nonpositiveinteger, ["1"],   error).
value(cast_int, ["1.5"],                error).
value(cast_int, ["x":int],              error).
value(cast_int, [unbound],              error).

value(cast_boolean, ["1"],              "true":boolean).
value(cast_boolean, ["TRUE"],           error).
value(cast_boolean, ["0.0":decimal],    "false":boolean).
value(cast_boolean, ["NaN":double],     "false":boolean).
value(cast_boolean, ["-1":integer],     "true":boolean).
value(cast_boolean, ["0":boolean],      "false":boolean).
value(cast_boolean, ['urn:a'],          error).

value(cast_datetime, ["2002-10-10T17:00:00Z"],      "2002-10-10T17:00:00Z":dateTime).
value(cast_datetime, ["2002-10-10T17:00:00+01:00"], "2002-10-10T17:00:00+01:00":dateTime).
value(cast_datetime, ["2002-10-10T17:00:00":dateTime], "2002-10-10T17:00:00":dateTime).
value(cast_datetime, ["2002-10-10T17:00:00Z":dateTimeStamp], "2002-10-10T17:00:00Z":dateTime).
value(cast_datetime, ["2002-10-10":date],           "2002-10-10T00:00:00":dateTime).
value(cast_datetime, ["2002-10-10+01:00":date],     "2002-10-10T00:00:00+01:00":dateTime).
value(cast_datetime, ["2002-10-10Z":date],          "2002-10-10T00:00:00Z":dateTime).
value(cast_datetime, ["2002-13-10Z":date],          error).
value(cast_datetime, ["2002-10-10"],                error).
value(cast_datetime, ["0":integer],                 error).
value(cast_datetime, [unbound],                     error).

value(cast_datetime, ["2002-10-10T23:59:60Z"],       error).
value(cast_datetime, ["2002-02-30":date],           error).
value(cast_datetimestamp, ["2002-10-10T17:00:00+01:00":dateTime], "2002-10-10T17:00:00+01:00":dateTimeStamp).
value(cast_datetimestamp, ["2002-10-10T17:00:00":dateTime], error).
value(cast_date, ["2002-10-10T23:00:00-05:00":dateTime], "2002-10-10-05:00":date).
value(cast_date, ["-0044-03-15T24:00:00":dateTime],      "-0044-03-16":date).
value(cast_date, ["12000-03-15T00:00:00Z":dateTime],     "12000-03-15Z":date).
value(cast_date, [" 2002-10-10Z "],                 "2002-10-10Z":date).
value(cast_date, ["2002-10-10Z":date],              "2002-10-10Z":date).
value(cast_date, ["2002-02-30"],                    error).
value(cast_date, ["2002":gYear],                    error).
value(cast_time, ["2002-10-10T24:00:00Z":dateTime], "00:00:00Z":time).
value(cast_time, ["2002-10-10T12:00:00.50":dateTime], "12:00:00.5":time).
value(cast_time, ["2002-10-10":date],               error).
value(cast_time, ["25:00:00"],                      error).
value(cast_gyear, ["2002-10-10":date],              "2002":gYear).
value(cast_gyear, ["-12000-10-10T00:00:00+02:00":dateTime], "-12000+02:00":gYear).
value(cast_gyearmonth, ["2002-10-10T00:00:00Z":dateTime], "2002-10Z":gYearMonth).
value(cast_gmonthday, ["2002-10-10Z":date],         "--10-10Z":gMonthDay).
value(cast_gmonth, ["2002-10-10":date],             "--10":gMonth).
value(cast_gday, ["2002-10-09":date],               "---09":gDay).
value(cast_gday, ["---32"],                         error).
value(cast_gyear, [unbound],                        error).
value(cast_daytimeduration, ["P1M2DT3S":duration],  "P2DT3S":dayTimeDuration).
value(cast_daytimeduration, ["P1M"],                error).
value(cast_yearmonthduration, ["P13M2D":duration],  "P1Y1M":yearMonthDuration).
value(cast_yearmonthduration, ["PT1S":dayTimeDuration], "P0M":yearMonthDuration).
value(cast_yearmonthduration, ["2002-10-10":date],  error).
value(cast_duration, ["PT60S"],                     "PT1M":duration).
value(cast_duration, ["P1D":dayTimeDuration],       "P1D":duration).
value(cast_duration, ["P"],                         error).
value(cast_duration, ["5":integer],                 error).

:- begin_tests(functions_cast).

test(value, [forall(value(Function, Arguments, Expected)), Value == Expected]) :-
    gives(Function, Arguments, Value).

:- end_tests(functions_cast).
