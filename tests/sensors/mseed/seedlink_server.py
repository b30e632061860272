"""A SeedLink 4 server for one client at a time, written from FDSN's protocol text.

  seedlink_server.py RECORDS PARTS [refuse]

RECORDS is a file of miniSEED records of both versions. The server sends them in order over PARTS connections, and
breaks off each but the last one in the middle of a packet. `refuse`: it answers SLPROTO with an error, like a server
that does not support the version that it announces. Prints the port, then each command that it receives, one per line.
"""

import socket
import struct
import sys


def records_of(data):
    """Returns (station, stream, format, record) of each record."""
    at = 0
    while at < len(data):
        if data[at:at + 2] == b"MS" and data[at + 2] == 3:
            of_name, of_extra, of_data = data[at + 33], *struct.unpack_from("<HI", data, at + 34)
            name = data[at + 40:at + 40 + of_name].decode().removeprefix("FDSN:")
            net, sta, stream = name.split("_", 2)
            end = at + 40 + of_name + of_extra + of_data
            yield f"{net}_{sta}", stream, b"3", data[at:end]
        else:
            sta, loc, cha, net = (data[at + a:at + b].decode().strip()
                                  for a, b in ((8, 13), (13, 15), (15, 18), (18, 20)))
            end = at + 512
            yield f"{net}_{sta}", f"{loc}_{'_'.join(cha)}", b"2", data[at:end]
        at = end


def main():
    all_records = list(records_of(open(sys.argv[1], "rb").read()))
    parts, refuses = int(sys.argv[2]), "refuse" in sys.argv
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    sent = 0
    for part in range(parts):
        connection, _ = listener.accept()
        commands = connection.makefile("rb")
        asked, wanted, first, proto = None, {}, {}, False

        def say(text):
            connection.sendall(text.encode() + b"\r\n")

        for line in commands:
            words = line.decode().split()
            print(" ".join(words), flush=True)
            if words[0] == "HELLO":
                say("SeedLink v4.0 (test/1) :: SLPROTO:4.0 SLPROTO:3.1")
                say("here")
            elif words == ["SLPROTO", "4.0"] and not refuses:
                proto = True
                say("OK")
            elif not proto:
                say("ERROR UNEXPECTED SLPROTO comes first")
            elif words[0] == "USERAGENT" and len(words) > 1:
                say("OK")
            elif words[0] == "STATION" and len(words) == 2:
                asked = words[1]
                wanted[asked] = set()
                known = any(station == asked for station, *_ in all_records)
                say("OK" if known else "ERROR ARGUMENTS no such station")
            elif words[0] == "SELECT" and len(words) == 2:
                wanted[asked].add(words[1])
                say("OK")
            elif words[0] == "DATA":
                first[asked] = int(words[1]) if len(words) > 1 else 0
                say("OK")
            elif words[0] == "END":
                break
            else:
                say("ERROR UNSUPPORTED")
        else:
            connection.close()
            continue
        end = len(all_records) * (part + 1) // parts
        for number, (station, stream, code, record) in enumerate(all_records[:end]):
            if stream not in wanted.get(station, ()) or number + 1000 < first[station]:
                continue
            name = station.encode()
            packet = b"SE" + code + b"D" + struct.pack("<IQB", len(record), number + 1000, len(name))
            if number == 2:
                # An information packet, and an invalid packet.
                info = b'{"software":"test"}'
                connection.sendall(b"SEJI" + struct.pack("<IQB", len(info), 0, 0) + info + b"SE??")
            connection.sendall(packet + name + record)
            sent += 1
        if part + 1 < parts:
            connection.sendall(b"SE2D\x00")
        else:
            connection.sendall(b"END")
            connection.recv(1)
        connection.shutdown(socket.SHUT_RDWR)
        connection.close()


main()
