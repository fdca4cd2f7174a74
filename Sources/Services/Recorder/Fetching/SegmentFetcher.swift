import Digest
import HLS
import HTTP
import HTTPClient
import MediaFormat
import SegmentStore
import Timeline

/// Brings one rendition's segments from a source into the archive, verified.
struct SegmentFetcher: Sendable {
    let channel: ChannelID
    let rendition: RenditionID
    let link: SourceLink
    let store: any SegmentStore
    let keys: KeyKeeper
    let initializations: InitializationKeeper
    let encryption: EncryptionChoice
    let clock: HostClock
    let isDiskFull: @Sendable () -> Bool

    /// What is known of a segment whose bytes are durable.
    struct Stored: Sendable {
        var object: CommittedObject
        var state: MediaState
        var flags: SegmentFlags
        var plainBytes: Int64
        var iv: [UInt8]?
        var firstTimestamp: Int64?
    }

    /// What one try led to.
    enum Outcome: Sendable {
        case stored(Stored)
        case failed(FetchFailure)
        /// Another try after a pause: the source can still be expected to hold the segment.
        case again(after: Duration)
    }

    /// Tries to fetch, verify and store a segment.
    ///
    /// A segment is tried for at growing distances while the source can be expected to hold it (RFC 8216bis §6.2.2), and
    /// three times at least; on the last try one that is not whole is taken as it is.
    func store(_ listed: ListedSegment, base: HTTPURL, attempt: Int) async -> Outcome {
        let pause = min(Int64(200_000) << Int64(min(attempt - 1, 4)), 3_000_000)
        let isLast = attempt >= 3 && clock.now() + pause > listed.availableUntil
        do {
            return .stored(
                try await self.attempt(listed, base: base, domain: listed.domain, takesDamaged: isLast))
        } catch {
            let isOver = isLast || Task.isCancelled || !error.isTransient
            return isOver ? .failed(error) : .again(after: .microseconds(pause))
        }
    }

    /// SHA-256 of a listed segment as it would be stored; nothing is kept.
    func probe(_ listed: ListedSegment, base: HTTPURL, domain: Int) async throws(FetchFailure) -> [UInt8] {
        try await failing {
            let intake = try await intake(of: listed, base: base, domain: domain)
            let sum = try RunningDigest()
            _ = try await receive(listed, base: base, intake: intake) { try sum.take($0) }
            return try sum.finish()
        }
    }

    // MARK: One try

    private func attempt(
        _ listed: ListedSegment, base: HTTPURL, domain: Int, takesDamaged: Bool,
    ) async throws(FetchFailure) -> Stored {
        try await failing {
            guard !isDiskFull() else { throw FetchFailure(.diskFull, "the disk is full", isTransient: false) }
            let intake = try await intake(of: listed, base: base, domain: domain)
            let draft = try await store.makeDraft()
            let received = try await receive(listed, base: base, intake: intake) {
                try await draft.append($0)
            }
            var flags = listed.flags
            if case .damaged(let damage) = received.inspection?.wholeness {
                guard takesDamaged else {
                    throw FetchFailure(.segmentCorrupt, "the segment is not whole: \(damage)")
                }
                flags.insert(.damaged)
            }
            let state = state(of: received, intake: intake, listed: listed)
            let name = SegmentName(start: listed.start, revision: 0, fileExtension: state.container)
            let object = try await draft.commit(as: .segment(channel, rendition, name))
            return Stored(
                object: object, state: state, flags: flags, plainBytes: received.plainBytes,
                iv: intake.isStoredEncrypted ? intake.iv : nil,
                firstTimestamp: received.inspection?.firstTimestamp.flatMap { Int64(exactly: $0.value) })
        }
    }

    /// Gives every failure on the way the module's type.
    private func failing<T>(_ body: () async throws -> T) async throws(FetchFailure) -> T {
        do {
            return try await body()
        } catch let error as FetchFailure {
            throw error
        } catch let error as TransferError {
            throw FetchFailure(error)
        } catch let error as StoreError {
            throw FetchFailure(error)
        } catch let error as MediaFormatError {
            throw FetchFailure(.segmentCorrupt, "\(error)")
        } catch is DigestError {
            throw FetchFailure(.keyMissing, "the key does not decrypt the segment")
        } catch {
            throw FetchFailure(.segmentMissing, "\(error)")
        }
    }

    // MARK: Keys and initialization section

    private func intake(of listed: ListedSegment, base: HTTPURL, domain: Int) async throws -> SegmentIntake {
        var intake = SegmentIntake()
        if let key = listed.entry.keys.first(where: { $0.keyFormat == Key.identityFormat }) {
            intake.method = key.method.rawValue
            if key.method == .aes128 {
                let number = UInt64(clamping: listed.identity.number)
                intake.iv = Key.bytes(
                    ofInitializationVector: key.effectiveInitializationVector(mediaSequenceNumber: number))
                intake.key = try await contentKey(key, base: base)
                intake.isStoredEncrypted = encryption == .keep
            }
        }
        intake.drmTags = drmTags(of: listed.entry)
        if intake.method == nil, let key = listed.entry.keys.first { intake.method = key.method.rawValue }
        if let map = listed.entry.map {
            intake.initialization = try await initializations.section(
                map, at: try link.resolve(map.uri, against: base), domain: domain, link: link,
                key: try await mapKey(map, base: base))
        }
        return intake
    }

    private func contentKey(_ key: Key, base: HTTPURL) async throws -> ContentKey {
        guard let uri = key.uri else {
            throw FetchFailure(.keyMissing, "EXT-X-KEY has no URI", isTransient: false)
        }
        return try await keys.key(at: try link.resolve(uri, against: base), link: link)
    }

    /// A map under AES-128 needs an explicit IV (RFC 8216bis §4.4.4.5).
    private func mapKey(_ map: MediaMap, base: HTTPURL) async throws -> (ContentKey, iv: [UInt8])? {
        guard let key = map.keys.first(where: { $0.keyFormat == Key.identityFormat && $0.method == .aes128 }),
            let vector = key.initializationVector
        else { return nil }
        return (try await contentKey(key, base: base), Key.bytes(ofInitializationVector: vector))
    }

    /// Keys of DRM systems cannot be recorded; their tags are kept as they came.
    private func drmTags(of entry: MediaSegment) -> [String] {
        entry.keys.filter { $0.keyFormat != Key.identityFormat }.map { key in
            var writer = PlaylistWriter()
            writer.key(key)
            return String(decoding: writer.bytes, as: UTF8.self).trimmingLineEnd()
        }
    }

    // MARK: Bytes

    /// Streams the body through decryption and inspection to where it is kept.
    private func receive(
        _ listed: ListedSegment, base: HTTPURL, intake: SegmentIntake, keep: ([UInt8]) async throws -> Void,
    ) async throws -> SegmentReading.Result {
        let url = try link.resolve(listed.entry.uri, against: base)
        let slice = try await BodySlice.open(url, range: listed.entry.byteRange, link: link)
        let reading = try SegmentReading(intake)
        while let chunk = try await slice.next() {
            let kept = try reading.take(chunk)
            if !kept.isEmpty { try await keep(kept) }
        }
        let (rest, result) = try reading.finish()
        if !rest.isEmpty { try await keep(rest) }
        return result
    }

    private func state(of received: SegmentReading.Result, intake: SegmentIntake, listed: ListedSegment)
        -> MediaState
    {
        var state = MediaState(container: container(of: received, listed: listed))
        if let inspection = received.inspection {
            let tracks =
                inspection.tracks.isEmpty
                ? intake.initialization?.section.tracks.map(\.description) ?? [] : inspection.tracks
            state.tracks = tracks.compactMap(Self.word).joined(separator: ",")
            state.codecs = (inspection.codecStrings ?? []).joined(separator: ",")
            state.width = inspection.resolution?.width ?? 0
            state.height = inspection.resolution?.height ?? 0
        }
        state.initName = intake.initialization?.name
        if intake.isStoredEncrypted || intake.key == nil { state.keyMethod = intake.method }
        if intake.isStoredEncrypted { state.keyName = intake.key?.name }
        state.drmTags = intake.drmTags
        return state
    }

    private func container(of received: SegmentReading.Result, listed: ListedSegment) -> SegmentExtension {
        switch received.inspection?.container {
        case .transportStream: .transportStream
        case .fragmentedMP4: .fragmentedMP4
        case .packedAudio(.aac): .aac
        case .packedAudio(.mp3): .mp3
        case .packedAudio(.ac3), .packedAudio(.eac3): .ac3
        case .webVTT: .webVTT
        case nil: listed.entry.map == nil ? .transportStream : .fragmentedMP4
        }
    }

    private static func word(_ track: Track) -> String? {
        let codec = track.codec ?? "unknown"
        switch track.kind {
        case .video: return "video:\(codec)"
        case .audio: return "audio:\(codec)"
        case .subtitles: return "subtitles:\(codec)"
        case .other: return nil
        }
    }
}

extension String {
    fileprivate func trimmingLineEnd() -> String {
        hasSuffix("\n") ? String(dropLast()) : self
    }
}
