/// The bounds of this module.
package enum Limits {
    /// Bytes that are examined to recognise the container: three packets of a transport stream begin in them.
    static let sniffByteCount = 512
    /// Bytes of an unrecognised body that are reported to the operator: enough to identify a web page.
    static let excerptByteCount = 256
    /// Streams of one program; broadcasts with many languages have about a dozen.
    static let streamCount = 32
    /// A step between two times that is this many times the mean of the others is a reset of the clock.
    static let jumpShare: UInt64 = 8
    /// Bytes of a segment that are examined for the first times of its streams, which are among the first of
    /// them.
    static let placingByteCount = 8 << 20
    /// Bytes of the packets of one unit of audio, which has up to 64 KiB itself (ISO 13818-1 §2.4.3.7).
    static let audioUnitByteCount = 1 << 20
    /// Bytes of a segment in which its tables are looked for: half a second of 16 Mbit/s.
    static let tableDistanceByteCount = 1 << 20
    /// Bytes of one table section (ISO 13818-1 §2.4.4: PAT and PMT have at most 1,021 after the length).
    static let sectionByteCount = 1024
    /// Bytes of an access unit that are searched for parameter sets, which take less than 2 KiB with
    /// supplemental data.
    static let accessUnitByteCount = 4 * 1024
    /// Bytes of a picture in which its first slice begins; a few hundred in most streams.
    static let pictureHeadByteCount = 64 * 1024
    /// Key frames of one segment; a minute of half a second each.
    static let keyFrameCount = 120
    /// How long after the first time of a segment a key frame may be: no segment is longer.
    static let keyFrameMicroseconds: Int64 = 600_000_000
    /// Bytes of a moof; that of a minute of video with 60 frames per second and audio has about 150 KiB.
    static let movieFragmentByteCount = 1024 * 1024
    /// Bytes of an initialization section or its moov; real ones have 1 to 4 KiB.
    static let initSectionByteCount = 1024 * 1024
    /// Tracks of an initialization section or fragment.
    static let trackCount = 32
    /// Bytes of an ID3 tag; the one with the timestamp has 73.
    static let tagByteCount = 64 * 1024
    /// Boxes of a media file on one level: four for each second of a week.
    static let fileBoxes = 2_500_000
    /// Packets of a media file that are looked at: a hole of a few per cent has one of them.
    static let filePackets = 64
    /// Frames of an ID3 tag.
    static let tagFrameCount = 64
}
