/// Builds small transport streams by hand (ISO 13818-1).
struct TransportStreamBuilder {
    static let mapPID: UInt16 = 0x1000
    static let videoPID: UInt16 = 0x100
    static let audioPID: UInt16 = 0x101

    /// 1280×720 at High, level 3.1; the width and height are counted in macroblocks: 80 and 45.
    static let h264ParameterSet: [UInt8] = [0x67] + H264Bits.high720
    static let h264KeyFrame: [UInt8] =
        [0, 0, 0, 1] + h264ParameterSet + [0, 0, 1, 0x68, 0xEE, 0, 0, 1, 0x65, 0x88]
    static let h264OtherFrame: [UInt8] = [0, 0, 0, 1, 0x09, 0x30, 0, 0, 1, 0x41, 0x9A]
    /// AAC-LC at 48 kHz, a frame of 16 bytes.
    static let aacFrame = AudioFrames.aac(byteCount: 16)

    var bytes: [UInt8] = []

    /// A program map with the given stream types, after its association.
    mutating func addTables(_ streams: [(type: UInt8, pid: UInt16)], descriptors: [UInt8] = []) {
        addSection(0, table: 0x00, [0x00, 0x01, 0xE0 | UInt8(Self.mapPID >> 8), UInt8(Self.mapPID & 0xFF)])
        var body: [UInt8] = [0xE1, 0x00, 0xF0, 0x00]
        for stream in streams {
            body += [
                stream.type, 0xE0 | UInt8(stream.pid >> 8), UInt8(stream.pid & 0xFF), 0xF0,
                UInt8(descriptors.count),
            ]
            body += descriptors
        }
        addSection(Self.mapPID, table: 0x02, body)
    }

    mutating func addSection(_ pid: UInt16, table: UInt8, _ body: [UInt8], isIntact: Bool = true) {
        let length = UInt16(body.count + 9)
        var section: [UInt8] =
            [table, 0xB0 | UInt8(length >> 8), UInt8(length & 0xFF), 0, 1, 0xC1, 0, 0] + body
        section += Self.checksum(section)
        if !isIntact { section[section.count - 1] ^= 1 }
        var rest = ([0] + section)[...]
        var starts = true
        while !rest.isEmpty {
            addPacket(pid, startsUnit: starts, Array(rest.prefix(184)), stuffing: .bytes)
            rest = rest.dropFirst(184)
            starts = false
        }
    }

    /// A PES packet with a timestamp, split into transport packets.
    mutating func addUnit(
        _ pid: UInt16, streamID: UInt8, time: UInt64?, _ content: [UInt8], isRandomAccess: Bool = false,
        saysLength: Bool = false,
    ) {
        var unit = Self.header(streamID, time) + content
        if saysLength { (unit[4], unit[5]) = (UInt8((unit.count - 6) >> 8), UInt8((unit.count - 6) & 0xFF)) }
        var rest = unit[...]
        var starts = true
        while !rest.isEmpty {
            let room = starts && isRandomAccess ? 182 : 184
            addPacket(
                pid, startsUnit: starts, Array(rest.prefix(room)), isRandomAccess: starts && isRandomAccess)
            rest = rest.dropFirst(room)
            starts = false
        }
    }

    enum Stuffing {
        case adaptation
        case bytes
    }

    mutating func addPacket(
        _ pid: UInt16, startsUnit: Bool, _ payload: [UInt8], isRandomAccess: Bool = false,
        stuffing: Stuffing = .adaptation,
    ) {
        let high = (startsUnit ? 0x40 : 0) | UInt8(pid >> 8)
        var packet: [UInt8] = [0x47, high, UInt8(pid & 0xFF)]
        let missing = 184 - payload.count
        if stuffing == .bytes || (missing == 0 && !isRandomAccess) {
            packet += [0x10] + payload + Array(repeating: 0xFF, count: missing)
        } else {
            packet += [0x30, UInt8(missing - 1)]
            if missing > 1 {
                packet += [isRandomAccess ? 0x40 : 0] + Array(repeating: 0xFF, count: missing - 2)
            }
            packet += payload
        }
        bytes += packet
    }

    private static func header(_ streamID: UInt8, _ time: UInt64?) -> [UInt8] {
        guard let time else { return [0, 0, 1, streamID, 0, 0, 0x80, 0, 0] }
        let stamp: [UInt8] = [
            0x21 | UInt8(time >> 29 & 0x0E), UInt8(time >> 22 & 0xFF), UInt8(time >> 14 & 0xFE) | 1,
            UInt8(time >> 7 & 0xFF), UInt8(time << 1 & 0xFE) | 1,
        ]
        return [0, 0, 1, streamID, 0, 0, 0x80, 0x80, 5] + stamp
    }

    /// CRC-32 of MPEG, bit by bit.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            for bit in 0..<8 {
                let isSet = (crc >> 31) ^ UInt32(byte >> (7 - bit) & 1) == 1
                crc = (crc << 1) ^ (isSet ? 0x04C1_1DB7 : 0)
            }
        }
        return (0..<4).map { UInt8(crc >> (24 - 8 * $0) & 0xFF) }
    }

    /// Video and audio of this number of frames of 3,600 ticks, the first a key frame.
    static func segment(from start: UInt64 = 900_000, frames: UInt64 = 5, filler: Int = 0) -> [UInt8] {
        var builder = TransportStreamBuilder()
        builder.addTables([(0x1B, videoPID), (0x0F, audioPID)])
        for frame in 0..<frames {
            let time = (start + frame * 3600) & 0x1_FFFF_FFFF
            let content = (frame == 0 ? h264KeyFrame : h264OtherFrame) + Array(repeating: 0xAA, count: filler)
            builder.addUnit(videoPID, streamID: 0xE0, time: time, content, isRandomAccess: frame == 0)
            builder.addUnit(audioPID, streamID: 0xC0, time: time, aacFrame)
        }
        return builder.bytes
    }
}
