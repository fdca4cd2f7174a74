/// Packs the frames of packed audio into a transport stream, so that each frame has a time.
///
/// Only for programs that read it at once: there is no clock reference. Used by one task: `begin`, then
/// `append` until the segment's end, then `finish`.
package struct PackedAudioMuxer {
    private static let tablePID: UInt16 = 0x1000
    private static let audioPID: UInt16 = 0x100
    /// The largest error of times in the catalogue: a tenth of a second.
    private static let nearTicks: UInt64 = 9_000

    /// The time of the first frame of the segment, 90 kHz.
    private var origin: UInt64 = 0
    private var sampleCount = 0
    private var sampleRate = 0
    private var pending: [UInt8] = []
    /// The frames of one time.
    private var unit: [UInt8] = []
    private var unitTime: UInt64 = 0
    private var counter: UInt8 = 0
    private var kind: PackedAudioKind?
    /// Whether a frame does not begin where the one before has ended: the rest is left out.
    private var isOutOfSync = false

    package init() {}

    /// Begins a segment; `time` is that of its first frame, 33 bits at 90 kHz, where no tag says it.
    ///
    /// Where that is near the end of the segment before, the first frame follows it.
    package mutating func begin(at time: UInt64) {
        let next = origin &+ ticks & PresentationTime.mask
        let isNear = PresentationTime.difference(time, next).magnitude < Self.nearTicks
        origin = sampleCount > 0 && isNear ? next : time & PresentationTime.mask
        (sampleCount, isOutOfSync) = (0, false)
        pending.removeAll(keepingCapacity: true)
    }

    /// The packets of the frames that are whole.
    package mutating func append(_ bytes: [UInt8]) -> [UInt8] {
        guard !isOutOfSync else { return [] }
        pending += bytes
        var output: [UInt8] = []
        var start = 0
        while let length = take(pending[start...], &output) { start += length }
        pending.removeFirst(start)
        return output
    }

    /// The packets of what is left of a segment.
    package mutating func finish() -> [UInt8] {
        var output: [UInt8] = []
        flush(&output)
        return output
    }

    /// Takes the tag or frame that the bytes begin with, and returns its length; nil if it is not whole.
    private mutating func take(_ bytes: ArraySlice<UInt8>, _ output: inout [UInt8]) -> Int? {
        guard bytes.count >= ID3Tag.headerByteCount, !isOutOfSync else { return nil }
        if let length = ID3Tag.byteCount(header: bytes) {
            guard bytes.count >= length else { return nil }
            if sampleCount == 0, length <= Limits.tagByteCount,
                let time = ID3Tag.timestamp(Array(bytes.prefix(length)))
            {
                origin = time.value
            }
            return length
        }
        guard let header = AudioFrameHeader(reading: bytes), let length = header.frameByteCount else {
            isOutOfSync = true
            return nil
        }
        guard bytes.count >= length else { return nil }
        if header.sampleCount > 0 || unit.isEmpty {
            flush(&output)
            if kind != header.kind { writeTables(header.kind, &output) }
            unitTime = origin &+ ticks & PresentationTime.mask
            sampleRate = header.sampleRate
            sampleCount += header.sampleCount
        }
        unit += bytes.prefix(length)
        return length
    }

    private var ticks: UInt64 {
        sampleRate > 0 ? UInt64(sampleCount) * UInt64(PresentationTime.timescale) / UInt64(sampleRate) : 0
    }
}

/// What is written.
extension PackedAudioMuxer {
    /// The program tables, which say what the audio is.
    private mutating func writeTables(_ kind: PackedAudioKind, _ output: inout [UInt8]) {
        self.kind = kind
        let program = Self.number(0x0001) + Self.number(0xE000 | Self.tablePID)
        let stream = [kind.streamType] + Self.number(0xE000 | Self.audioPID) + Self.number(0xF000)
        let map = Self.number(0xE000 | 0x1FFF) + Self.number(0xF000) + stream
        write(section: 0, program, pid: 0, &output)
        write(section: 2, map, pid: Self.tablePID, &output)
    }

    /// A section in a packet of its own (ISO 13818-1 §2.4.4): the rest of the packet is stuffing.
    private func write(section table: UInt8, _ content: [UInt8], pid: UInt16, _ output: inout [UInt8]) {
        let length = UInt16(content.count + 9)
        var section = [table] + Self.number(0xB000 | length) + [0, 1, 0xC1, 0, 0] + content
        let checksum = SectionChecksum.value(of: section[...])
        section += Self.number(UInt16(checksum >> 16)) + Self.number(UInt16(checksum & 0xFFFF))
        output += [TransportPacket.syncByte] + Self.number(0x4000 | pid) + [0x10, 0] + section
        output += [UInt8](repeating: 0xFF, count: TransportPacket.byteCount - 5 - section.count)
    }

    /// Writes the frames that were gathered as one unit.
    private mutating func flush(_ output: inout [UInt8]) {
        guard !unit.isEmpty, let kind else { return }
        AudioPacketWriter.write(
            unit, at: unitTime, pid: Self.audioPID, streamID: kind.streamID, &counter, to: &output)
        unit.removeAll(keepingCapacity: true)
    }

    private static func number(_ value: UInt16) -> [UInt8] {
        [UInt8(value >> 8), UInt8(value & 0xFF)]
    }
}

extension PackedAudioKind {
    /// As ISO 13818-1 table 2-34 and ATSC A/53 have it.
    fileprivate var streamType: UInt8 {
        switch self {
        case .aac: 0x0F
        case .mp3: 0x03
        case .ac3: 0x81
        case .eac3: 0x87
        }
    }

    /// MPEG audio, else private stream 1.
    fileprivate var streamID: UInt8 {
        switch self {
        case .aac, .mp3: 0xC0
        case .ac3, .eac3: 0xBD
        }
    }
}
