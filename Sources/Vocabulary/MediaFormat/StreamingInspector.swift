/// Inspects a segment while it arrives; keeps a few kilobytes, never the segment.
package struct StreamingInspector: Sendable {
    private let initSection: InitSection?
    /// The first bytes, until they suffice to tell the container.
    private var opening: [UInt8] = []
    private var inspector: (any ContainerInspector)?
    /// Set as soon as it is clear that this is no media: the transfer may be broken off.
    package private(set) var refusal: MediaFormatError?

    /// `initSection` is the one in effect.
    package init(initSection: InitSection? = nil) {
        self.initSection = initSection
    }

    /// Takes the next bytes of the segment, any number of them.
    package mutating func append(_ bytes: Span<UInt8>) {
        guard inspector == nil else {
            inspector?.append(bytes)
            return
        }
        guard refusal == nil else { return }
        let taken = min(bytes.count, Limits.sniffByteCount - opening.count)
        for index in 0..<taken { opening.append(bytes[index]) }
        guard opening.count >= Limits.sniffByteCount else { return }
        decide()
        inspector?.append(bytes.extracting(taken..<bytes.count))
    }

    package mutating func append(_ bytes: [UInt8]) {
        append(bytes.span)
    }

    /// The result, once all bytes were appended.
    package consuming func finish() throws(MediaFormatError) -> MediaInspection {
        if inspector == nil && refusal == nil { decide() }
        if let refusal { throw refusal }
        guard var inspector else { throw .empty }
        return inspector.finish()
    }

    private mutating func decide() {
        guard !opening.isEmpty else {
            refusal = .empty
            return
        }
        switch container(of: opening) {
        case .transportStream: inspector = TransportStreamInspector(behind: initSection)
        case .fragmentedMP4: inspector = FragmentedMP4Inspector(initSection: initSection)
        case .packedAudio(let kind): inspector = PackedAudioInspector(kind: kind)
        case .webVTT: inspector = WebVTTInspector()
        case nil:
            refusal = .unrecognised(
                Lookalike(opening), excerpt: Array(opening.prefix(Limits.excerptByteCount)))
        }
        let first = opening
        opening = []
        inspector?.append(first.span)
    }

    /// Text behind a section of WebVTT needs no header of its own.
    private func container(of opening: [UInt8]) -> Container? {
        let container = ContainerSniffer.container(of: opening)
        guard container == nil, initSection?.container == .webVTT, Lookalike(opening) == .text else {
            return container
        }
        return .webVTT
    }
}

/// What each container has: bytes in, one result out.
protocol ContainerInspector: Sendable {
    mutating func append(_ bytes: Span<UInt8>)
    mutating func finish() -> MediaInspection
}
