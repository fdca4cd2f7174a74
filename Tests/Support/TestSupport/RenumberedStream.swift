/// Segments of a transport stream as another encoder would number their streams.
package enum RenumberedStream {
    private static let packetByteCount = 188
    /// Where ffmpeg has the program map.
    private static let mapPID: UInt16 = 0x1000

    /// The same packets, and the map that announces them, with other PIDs.
    package static func bytes(_ bytes: [UInt8], _ pids: [UInt16: UInt16]) -> [UInt8] {
        var bytes = bytes
        for start in stride(from: 0, to: bytes.count, by: packetByteCount) {
            let pid = number(bytes, start + 1) & 0x1FFF
            if let new = pids[pid] { set(&bytes, start + 1, new) }
            if pid == mapPID { renumberMap(&bytes, start + 5, pids) }
        }
        return bytes
    }

    /// The section of a map (ISO 13818-1 §2.4.4.8), which has a packet of its own.
    private static func renumberMap(_ bytes: inout [UInt8], _ start: Int, _ pids: [UInt16: UInt16]) {
        let end = start + 3 + Int(number(bytes, start + 1) & 0x0FFF) - 4
        var place = start + 12 + Int(number(bytes, start + 10) & 0x0FFF)
        var places = [start + 8]
        while place < end {
            places.append(place + 1)
            place += 5 + Int(number(bytes, place + 3) & 0x0FFF)
        }
        for place in places {
            if let new = pids[number(bytes, place) & 0x1FFF] { set(&bytes, place, new) }
        }
        let sum = checksum(bytes[start..<end])
        for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index)) }
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> UInt16 {
        UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
    }

    /// Sets the 13 bits of a PID.
    private static func set(_ bytes: inout [UInt8], _ place: Int, _ pid: UInt16) {
        bytes[place] = bytes[place] & 0xE0 | UInt8(pid >> 8)
        bytes[place + 1] = UInt8(pid & 0xFF)
    }

    /// CRC-32 of MPEG (ISO 13818-1 annex A).
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte) << 24) { value, _ in
                value << 1 ^ (value & 0x8000_0000 == 0 ? 0 : 0x04C1_1DB7)
            }
        }
    }
}
