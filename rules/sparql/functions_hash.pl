:- module(etalis_functions_hash,
          [ f_md5/2,                    % +Text, -Hash
            f_sha1/2,                   % +Text, -Hash
            f_sha256/2,                 % +Text, -Hash
            f_sha384/2,                 % +Text, -Hash
            f_sha512/2                  % +Text, -Hash
          ]).
:- use_module(datatypes, [op(_, _, ^^)]).
:- use_module(string_arguments, [simple_literal/2]).
:- use_module(library(macros)).
:- use_module(library(md5), [md5_hash/3]).
:- use_module(library(sha), [hash_atom/2, sha_hash/3]).

#import(datatypes).

/** <module> Hash functions

SPARQL 1.1 section 17.4.6: the hash of the UTF-8 form of an xsd:string, in lower-case hexadecimal digits.
*/

%!  f_md5(+Text, -Hash) is semidet.

f_md5(Text, Hash) :-
    simple_literal(Text, String),
    md5_hash(String, Hex, [encoding(utf8)]),
    atom_string(Hex, Value),
    Hash = Value^^ #xsd(string).

%!  f_sha1(+Text, -Hash) is semidet.

f_sha1(Text, Hash) :- sha(sha1, Text, Hash).

%!  f_sha256(+Text, -Hash) is semidet.

f_sha256(Text, Hash) :- sha(sha256, Text, Hash).

%!  f_sha384(+Text, -Hash) is semidet.

f_sha384(Text, Hash) :- sha(sha384, Text, Hash).

%!  f_sha512(+Text, -Hash) is semidet.

f_sha512(Text, Hash) :- sha(sha512, Text, Hash).

sha(Algorithm, Text, Hash) :-
    simple_literal(Text, String),
    sha_hash(String, Bytes, [algorithm(Algorithm), encoding(utf8)]),
    hash_atom(Bytes, Hex),
    atom_string(Hex, Value),
    Hash = Value^^ #xsd(string).
