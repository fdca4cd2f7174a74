/// Writes units of audio as packets of a transport stream (ISO 13818-1 §2.4.3.6).
///
/// Only for programs that read it at once: units do not say their length, which §2.4.3.7 allows for video.
enum AudioPacketWriter {
    /// `time` is in 33 bits at 90 kHz, `counter` that of the next packet.
    static func write(
        _ frames: some Collection<UInt8>, at time: UInt64, pid: UInt16, streamID: UInt8,
        _ counter: inout UInt8, to output: inout [UInt8],
    ) {
        let stamp = [
            UInt8(truncatingIfNeeded: time >> 29) & 0x0E | 0x21, UInt8(truncatingIfNeeded: time >> 22),
            UInt8(truncatingIfNeeded: time >> 14) | 1, UInt8(truncatingIfNeeded: time >> 7),
            UInt8(truncatingIfNeeded: time << 1) | 1,
        ]
        let bytes: [UInt8] = [0, 0, 1, streamID, 0, 0, 0x84, 0x80, 5] + stamp + frames
        var rest = bytes[...]
        while !rest.isEmpty {
            let room = TransportPacket.byteCount - TransportPacket.headerByteCount
            let start = rest.startIndex == 0 ? 0x4000 | pid : pid
            output += [TransportPacket.syncByte, UInt8(start >> 8), UInt8(start & 0xFF)]
            // An adaptation field fills the last packet: its length, its flags, stuffing.
            let stuffing = room - rest.count
            output.append((stuffing > 0 ? 0x30 : 0x10) | counter)
            if stuffing > 0 { output.append(UInt8(stuffing - 1)) }
            if stuffing > 1 { output += [0] + [UInt8](repeating: 0xFF, count: stuffing - 2) }
            output += rest.prefix(room)
            rest = rest.dropFirst(room)
            counter = (counter + 1) & 0x0F
        }
    }
}
