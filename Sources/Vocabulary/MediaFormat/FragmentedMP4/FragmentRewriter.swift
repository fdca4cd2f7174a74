/// Moves the times of an fMP4 segment to where it lies in a longer file, without changing its length.
///
/// Decode times are written in the width that they have. Boxes that only fit the segment by itself (an index,
/// messages with absolute times) become free space. If it knows how long the segment is, a box that would
/// extend beyond its end ends there, so that what follows the segment in the file can be read. Used by one
/// task: `append` until the end, then `finish`.
package struct FragmentRewriter {
    private let initSection: InitSection
    /// Ticks that are added to the decode times, by track ID.
    private let shifts: [UInt32: Int64]
    /// Where the segment begins in the file, bytes.
    private let position: UInt64
    /// Bytes of the segment; nil if that is not known.
    private let byteCount: UInt64?
    /// Bytes that were read so far.
    private var readByteCount: UInt64 = 0
    private var header: [UInt8] = []
    private var open: OpenBox?
    /// Whether a box has an impossible size: the rest of the segment is copied unchanged.
    private var isMalformed = false
    /// The tracks that were met, as they were before.
    package private(set) var tracks: [TrackTimes] = []
    /// Whether a time did not fit in its width.
    package private(set) var isOverflowing = false

    private struct OpenBox {
        /// Nil for a box that extends to the end.
        var remaining: UInt64?
        /// The header and content so far of a box that is rewritten.
        var kept: [UInt8]?
        var headerByteCount: Int
    }

    /// The times of one track of a segment, in its own timescale.
    package struct TrackTimes: Sendable, Equatable {
        package var id: UInt32
        package var timescale: UInt32
        package var first: UInt64
        /// Where its last sample ends, as far as it was read.
        package var end: UInt64
        /// Whether its decode times have 32 bits.
        package var isNarrow: Bool
    }

    package init(
        _ initSection: InitSection, shifts: [UInt32: Int64] = [:], position: UInt64 = 0,
        byteCount: UInt64? = nil,
    ) {
        (self.initSection, self.shifts, self.position) = (initSection, shifts, position)
        self.byteCount = byteCount
    }

    /// Whether every track was met.
    package var hasAllTracks: Bool { tracks.count >= initSection.tracks.count }

    /// The next bytes of the moved segment.
    package mutating func append(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var offset = 0
        while offset < bytes.count {
            if isMalformed {
                output += bytes[offset...]
                break
            }
            if open != nil {
                offset += pass(bytes[offset...], &output)
            } else {
                header.append(bytes[offset])
                offset += 1
                readByteCount += 1
                beginBox(&output)
            }
        }
        return output
    }

    /// The rest of a segment that ends within a box.
    package mutating func finish() -> [UInt8] {
        defer { (header, open) = ([], nil) }
        return header + (open?.kept ?? [])
    }

    private mutating func beginBox(_ output: inout [UInt8]) {
        guard let needed = BoxHeader.neededByteCount(header[...]) else { return }
        let rest = byteCount.map { $0 - min($0, readByteCount) }
        let isCut = rest.map { header.count < needed && $0 < UInt64(needed - header.count) } ?? false
        guard header.count >= needed || isCut else { return }
        defer { header.removeAll(keepingCapacity: true) }
        if let rest { fitHeader(to: rest) }
        guard let box = BoxHeader(reading: header[...]) else {
            isMalformed = true
            output += header
            return
        }
        // Of a header of 64 bits that became one of 32 bits, the rest was read already.
        let length = box.contentByteCount.map { $0 - UInt64(header.count - box.byteCount) } ?? .max
        let isRead = box.type == "moof" && length <= UInt64(Limits.movieFragmentByteCount)
        var written = header
        if Self.ofSegment.contains(box.type) { written.replaceSubrange(4..<8, with: "free".utf8) }
        open = OpenBox(
            remaining: box.contentByteCount == nil ? nil : length, kept: isRead ? written : nil,
            headerByteCount: header.count)
        if !isRead { output += written }
        if length == 0 { close(&output) }
    }

    /// Lets a box end with the segment if it would end later, or too close to the end for another box.
    ///
    /// `rest` bytes of the segment follow the header. A movie fragment that is cut describes samples that are
    /// not there: it becomes free space, and so does a box without a valid size.
    private mutating func fitHeader(to rest: UInt64) {
        let box = BoxHeader(reading: header[...])
        if let length = box?.contentByteCount, length <= rest, length == rest || rest - length >= 8 { return }
        let isShorter = (box?.contentByteCount).map { $0 > rest } ?? false
        guard let size = UInt32(exactly: UInt64(header.count) + rest) else { return }
        if box?.byteCount == 16 {
            Self.set(&header, 8, UInt64(size), byteCount: 8)
        } else {
            Self.set(&header, 0, UInt64(size), byteCount: 4)
        }
        if box == nil || isShorter && box?.type == "moof" { header.replaceSubrange(4..<8, with: "free".utf8) }
    }

    /// Boxes that describe the segment alone, or repeat what the beginning of the file states.
    private static let ofSegment: Set<String> = ["sidx", "ssix", "emsg", "mfra", "ftyp", "moov"]

    private mutating func pass(_ bytes: ArraySlice<UInt8>, _ output: inout [UInt8]) -> Int {
        let count = Int(clamping: min(open?.remaining ?? .max, UInt64(bytes.count)))
        if open?.kept == nil { output += bytes.prefix(count) } else { open?.kept? += bytes.prefix(count) }
        readByteCount += UInt64(count)
        guard let remaining = open?.remaining else { return count }
        open?.remaining = remaining - UInt64(count)
        if remaining == UInt64(count) { close(&output) }
        return count
    }

    private mutating func close(_ output: inout [UInt8]) {
        guard let box = open.take(), var kept = box.kept else { return }
        rewrite(&kept, from: box.headerByteCount)
        output += kept
    }

    private mutating func rewrite(_ bytes: inout [UInt8], from start: Int) {
        let original = bytes
        for box in BoxSequence(ByteCursor(original[start...])) where box.type == "traf" {
            guard let fragment = TrackFragment(reading: box.content, initSection: initSection) else {
                continue
            }
            for part in BoxSequence(box.content) {
                if part.type == "tfhd" { moveData(&bytes, part) }
                if part.type == "tfdt" { moveTime(&bytes, part, fragment) }
            }
        }
    }

    /// A base data offset counts from the beginning of the file (ISO 14496-12 §8.8.7).
    private func moveData(_ bytes: inout [UInt8], _ box: Box) {
        var box = box
        guard let flags = box.fullHeader()?.flags, flags & 1 != 0, box.content.skip(4) else { return }
        let place = box.content.position
        guard let offset = box.content.uint64() else { return }
        Self.set(&bytes, place, offset &+ position, byteCount: 8)
    }

    private mutating func moveTime(_ bytes: inout [UInt8], _ box: Box, _ fragment: TrackFragment) {
        var box = box
        guard let version = box.fullHeader()?.version, let time = fragment.decodeTime else { return }
        let byteCount = version == 1 ? 8 : 4
        note(fragment, time, isNarrow: byteCount == 4)
        let (moved, overflow) = Int64(clamping: time).addingReportingOverflow(shifts[fragment.trackID] ?? 0)
        isOverflowing = isOverflowing || overflow || byteCount == 4 && moved > Int64(UInt32.max)
        guard box.content.remaining >= byteCount else { return }
        Self.set(&bytes, box.content.position, UInt64(max(0, moved)), byteCount: byteCount)
    }

    private mutating func note(_ fragment: TrackFragment, _ time: UInt64, isNarrow: Bool) {
        let end = time &+ (fragment.duration ?? 0)
        if let index = tracks.firstIndex(where: { $0.id == fragment.trackID }) {
            tracks[index].end = max(tracks[index].end, end)
            tracks[index].isNarrow = tracks[index].isNarrow || isNarrow
        } else if tracks.count < Limits.trackCount,
            let timescale = initSection.track(fragment.trackID)?.timescale, timescale > 0
        {
            tracks.append(
                TrackTimes(
                    id: fragment.trackID, timescale: timescale, first: time, end: end, isNarrow: isNarrow))
        }
    }

    private static func set(_ bytes: inout [UInt8], _ place: Int, _ value: UInt64, byteCount: Int) {
        for index in 0..<byteCount {
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (byteCount - 1 - index)))
        }
    }
}
