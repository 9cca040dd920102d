// The instructions of pickles of protocol 2 to 5, less those that torch.save() never writes.
#pragma once
#include <cstdint>

namespace marey::pickle_op {

inline constexpr std::uint8_t mark = '(', stop = '.', pop = '0', pop_mark = '1', dup = '2', binfloat = 'G',
                              binint = 'J', binint1 = 'K', binint2 = 'M', none = 'N', persid = 'Q',
                              reduce = 'R', binstring = 'T', short_binstring = 'U', binunicode = 'X',
                              append = 'a', build = 'b', global = 'c', dict = 'd', appends = 'e',
                              binget = 'h', long_binget = 'j', list = 'l', binput = 'q', long_binput = 'r',
                              setitem = 's', tuple = 't', setitems = 'u', binbytes = 'B',
                              short_binbytes = 'C', empty_dict = '}', empty_list = ']', empty_tuple = ')',
                              proto = 0x80, newobj = 0x81, tuple1 = 0x85, tuple2 = 0x86, tuple3 = 0x87,
                              newtrue = 0x88, newfalse = 0x89, long1 = 0x8a, long4 = 0x8b,
                              short_binunicode = 0x8c, binunicode8 = 0x8d, binbytes8 = 0x8e, empty_set = 0x8f,
                              additems = 0x90, frozenset = 0x91, stack_global = 0x93, memoize = 0x94,
                              frame = 0x95;

}  // namespace marey::pickle_op
