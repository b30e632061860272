"""miniSEED 3 from its specification (docs.fdsn.org/projects/miniseed3), for tests: shares no code with takt.

miniseed3.py read FILE           prints a line of JSON for each record
miniseed3.py write FILE LINES    writes a record for each line; plain numbers only
"""

import calendar
import json
import struct
import sys

FIXED = struct.Struct("<2sBBIHHBBBBdIIBBHI")
PLAIN = {1: "h", 3: "i", 4: "f", 5: "d"}


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def steim(data, count, level):
    """Decodes Steim-1 and Steim-2 (SEED 2.4 manual, appendix B)."""
    differences = []
    words = struct.unpack(f">{len(data) // 4}I", data)
    for place, word in enumerate(words):
        if place % 16 == 0:
            control = word
            continue
        code = control >> 2 * (15 - place % 16) & 3
        if place in (1, 2) or code == 0:
            continue
        if code == 1:
            shape = (4, 8)
        elif level == 1:
            shape = (2, 16) if code == 2 else (1, 32)
        elif code == 2:
            shape = {1: (1, 30), 2: (2, 15), 3: (3, 10)}[word >> 30]
        else:
            shape = {0: (5, 6), 1: (6, 5), 2: (7, 4)}[word >> 30]
        number, bits = shape
        differences += [signed(word >> bits * (number - 1 - i), bits) for i in range(number)]
    samples = [signed(words[1], 32)]
    for difference in differences[1:count]:
        samples.append(signed(samples[-1] + difference, 32))
    assert len(samples) == count and samples[-1] == signed(words[2], 32), (len(samples), count)
    return samples


def read(path):
    data = open(path, "rb").read()
    assert crc32c(b"123456789") == 0xE3069283  # RFC 3720's example
    while data:
        (mark, version, flags, ns, year, day, hour, minute, second, encoding, rate, count, crc, publication, sid,
         extra, size) = FIXED.unpack_from(data)
        assert mark == b"MS" and version == 3
        length = FIXED.size + sid + extra + size
        record, data = data[:length], data[length:]
        assert len(record) == length and crc32c(record[:28] + bytes(4) + record[32:]) == crc, "checksum"
        payload = record[length - size:]
        if encoding in PLAIN:
            samples = list(struct.unpack(f"<{count}{PLAIN[encoding]}", payload))
        else:
            samples = steim(payload, count, encoding - 9)
        seconds = calendar.timegm((year, 1, day, hour, minute, second))
        print(json.dumps({"id": record[40:40 + sid].decode(), "ns": seconds * 10**9 + ns, "rate": rate,
                          "encoding": encoding, "samples": samples}))


def write(path, lines):
    with open(path, "wb") as file:
        for line in open(lines):
            told = json.loads(line)
            sid = told["id"].encode()
            extra = b'{"FDSN":{"Time":{"Quality":100}}}'
            payload = struct.pack(f"<{len(told['samples'])}{PLAIN[told['encoding']]}", *told["samples"])
            head = list(FIXED.unpack(FIXED.pack(b"MS", 3, 4, told["ns"], *told["time"], told["encoding"], told["rate"],
                                                len(told["samples"]), 0, 2, len(sid), len(extra), len(payload))))
            head[12] = crc32c(FIXED.pack(*head) + sid + extra + payload)
            file.write(FIXED.pack(*head) + sid + extra + payload)


{"read": read, "write": write}[sys.argv[1]](*sys.argv[2:])
