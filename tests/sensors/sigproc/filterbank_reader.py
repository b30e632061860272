"""Reads a SIGPROC filterbank file with struct only: an independent reader for the test of takt's writer.

Prints the header and all values of each sample, one sample per line.
"""

import struct
import sys

INTEGERS = {"telescope_id", "machine_id", "data_type", "nbits", "nchans", "nifs"}
NUMBERS = {"fch1", "foff", "tsamp", "tstart"}

with open(sys.argv[1], "rb") as file:
    data = file.read()
at = 0


def text():
    global at
    (length,) = struct.unpack_from("<i", data, at)
    at += 4 + length
    return data[at - length : at].decode()


header = {}
assert text() == "HEADER_START"
while (keyword := text()) != "HEADER_END":
    if keyword in INTEGERS:
        (header[keyword],) = struct.unpack_from("<i", data, at)
        at += 4
    elif keyword in NUMBERS:
        (header[keyword],) = struct.unpack_from("<d", data, at)
        at += 8
    else:
        header[keyword] = text()
for keyword in sorted(header):
    print(keyword, header[keyword])
values = {8: "B", 32: "f"}[header["nbits"]]
count = header["nchans"] * header["nifs"]
size = count * header["nbits"] // 8
assert (len(data) - at) % size == 0, "the file ends within a sample"
for sample in range((len(data) - at) // size):
    print("sample", *struct.unpack_from(f"<{count}{values}", data, at + sample * size))
