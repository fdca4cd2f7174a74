/// Inspects a segment while it arrives; keeps a few kilobytes of it.
package struct StreamingInspector: Sendable {
    private let initSection: InitSection?
    /// The first bytes, until they identify the container.
    private var opening: [UInt8] = []
    private var inspector: (any ContainerInspector)?
    /// Set as soon as the bytes are known not to be media: the transfer may be cancelled.
    package private(set) var refusal: MediaFormatError?

    /// `initSection` is the one in effect.
    package init(initSection: InitSection? = nil) {
        self.initSection = initSection
    }

    /// Appends the next bytes of the segment, any number of them.
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

    /// The result, after all bytes.
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
                DetectedContent(opening), excerpt: Array(opening.prefix(Limits.excerptByteCount)))
        }
        let first = opening
        opening = []
        inspector?.append(first.span)
    }

    /// Text after a WebVTT section needs no header of its own.
    private func container(of opening: [UInt8]) -> Container? {
        let container = ContainerSniffer.container(of: opening)
        guard container == nil, initSection?.container == .webVTT, DetectedContent(opening) == .text else {
            return container
        }
        return .webVTT
    }
}

/// The interface of the inspectors: bytes in, one result out.
protocol ContainerInspector: Sendable {
    mutating func append(_ bytes: Span<UInt8>)
    mutating func finish() -> MediaInspection
}
