/// The bounds of this module.
package enum Limits {
    /// Bytes looked at before the container is decided: three packets of a transport stream begin in them.
    package static let sniffByteCount = 512
    /// Bytes of an unrecognised body kept for the operator: enough of a web page to see which it is.
    package static let excerptByteCount = 256
    /// Streams of one program; broadcasts with many languages have about a dozen.
    package static let streamCount = 32
    /// Bytes of one table section (ISO 13818-1 §2.4.4: PAT and PMT have at most 1,021 after the length).
    package static let sectionByteCount = 1024
    /// Bytes of an access unit that are searched for parameter sets; with supplemental data they take under 2 KiB.
    package static let accessUnitByteCount = 4 * 1024
    /// Bytes of a moof that is read; one of a minute of 60 frames a second with audio has about 150 KiB.
    package static let movieFragmentByteCount = 1024 * 1024
    /// Bytes of an initialization section or its moov; real ones have 1 to 4 KiB.
    package static let initSectionByteCount = 1024 * 1024
    /// Tracks of an initialization section or fragment.
    package static let trackCount = 32
    /// Bytes of an ID3 tag that is read; the one with the time stamp has 73.
    package static let tagByteCount = 64 * 1024
    /// Frames of an ID3 tag.
    package static let tagFrameCount = 64
}
