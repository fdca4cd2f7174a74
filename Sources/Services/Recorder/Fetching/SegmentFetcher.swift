import Concurrency
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
        var format: SegmentFormat
        var flags: SegmentFlags
        var plainBytes: Int64
        var iv: [UInt8]?
        var firstTimestamp: Int64?
    }

    /// What one try led to.
    enum Outcome: Sendable {
        case stored(Stored)
        /// The bytes are durable, and nobody can read them before a key comes.
        case keyPending(KeyPendingSegment)
        case failed(FetchFailure)
        /// Another try after a pause: the source can still be expected to hold the segment.
        case again(after: Duration)

        /// Whether the source gave it; what fails for want of our own room says nothing of the source.
        var isHad: Bool {
            switch self {
            case .stored, .keyPending: true
            case .failed(let failure): failure.reason == .diskFull
            case .again: false
            }
        }
    }

    /// Tries to fetch, verify and store a segment.
    ///
    /// A segment is tried for at growing distances while the source can be expected to hold it (RFC 8216bis §6.2.2), and
    /// three times at least. One that is not whole is taken as it is on the last try, or when it does not change any
    /// more; one that its key does not open waits for another key.
    func store(
        _ listed: ListedSegment, base: HTTPURL, attempt: Int, damage: LastDamage = LastDamage(),
    ) async -> Outcome {
        let pause = Duration.milliseconds(min(200 << min(attempt - 1, 4), 3000))
        let isLast = attempt >= 3 && clock.steady() + pause > listed.availableUntil
        do {
            return try await self.attempt(listed, base: base) { byteCount in
                let isSame = damage.note(byteCount)
                return isLast || isSame && attempt >= Limits.triesForWhole
            }
        } catch {
            if error.reason == .keyMissing || error.reason == .segmentCorrupt {
                await distrustKey(of: listed, base: base)
            }
            guard isLast || Task.isCancelled || !error.isTransient else { return .again(after: pause) }
            guard error.reason == .keyMissing, error.isTransient, !Task.isCancelled else {
                return .failed(error)
            }
            return await withoutKey(listed, base: base)
        }
    }

    /// SHA-256 of a listed segment as it would be stored, nothing of which is kept; nil when that takes a key that is
    /// not to be had now.
    func probe(_ listed: ListedSegment, base: HTTPURL, domain: Int) async throws(FetchFailure) -> [UInt8]? {
        try await failing {
            let intake = try await intake(of: listed, base: base, domain: domain)
            if intake.isPending, intake.cipher != nil, !intake.isStoredEncrypted { return nil }
            let sum = try RunningDigest()
            let body = try await open(listed, base: base)
            _ = try await pass(body, through: intake) { try sum.take($0) }
            return try sum.finish()
        }
    }

    // MARK: One try

    private func attempt(
        _ listed: ListedSegment, base: HTTPURL, takesDamaged: (_ byteCount: Int64) -> Bool,
    ) async throws(FetchFailure) -> Outcome {
        try await failing {
            guard !isDiskFull() else { throw FetchFailure(.diskFull, "the disk is full", isTransient: false) }
            let intake = try await intake(of: listed, base: base, domain: listed.domain)
            if intake.isPending { return .keyPending(try await keep(listed, intake, base: base)) }
            let draft = try await store.makeDraft()
            let body = try await open(listed, base: base)
            let received = try await pass(body, through: intake) { try await draft.append($0) }
            if case .damaged(let damage) = received.inspection?.wholeness,
                !takesDamaged(received.plainBytes)
            {
                throw FetchFailure(.segmentCorrupt, "the segment is not whole: \(damage)")
            }
            return .stored(
                try await commit(
                    draft, received, intake, start: listed.start, flags: listed.flags,
                    hasMap: listed.entry.map != nil))
        }
    }

    /// The last try for a segment that the key at hand does not open.
    private func withoutKey(_ listed: ListedSegment, base: HTTPURL) async -> Outcome {
        do throws(FetchFailure) {
            return try await failing {
                let intake = try await intake(
                    of: listed, base: base, domain: listed.domain, asksForKeys: false)
                return .keyPending(try await keep(listed, intake, base: base))
            }
        } catch {
            return .failed(error)
        }
    }

    /// Gives every failure on the way the module's type.
    func failing<T>(_ body: () async throws -> T) async throws(FetchFailure) -> T {
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
            throw FetchFailure.unopened("the padding is wrong")
        } catch {
            throw FetchFailure(.segmentMissing, "\(error)")
        }
    }

    // MARK: Bytes

    func open(_ listed: ListedSegment, base: HTTPURL) async throws -> BodySlice {
        try await BodySlice.open(
            try link.resolve(listed.entry.uri, against: base), range: listed.entry.byteRange, link: link)
    }

    /// Streams a body through decryption and inspection to where it is kept.
    func pass(
        _ body: any SegmentBody, through intake: SegmentIntake, keep: ([UInt8]) async throws -> Void,
    ) async throws -> SegmentReading.Result {
        let reading = try SegmentReading(intake)
        while let chunk = try await body.next() {
            let kept = try reading.take(chunk)
            if !kept.isEmpty { try await keep(kept) }
        }
        let (rest, result) = try reading.finish()
        if !rest.isEmpty { try await keep(rest) }
        return result
    }

    /// Makes what was read durable under the name that its container gives it.
    func commit(
        _ draft: SegmentDraft, _ received: SegmentReading.Result, _ intake: SegmentIntake, start: Instant,
        flags: SegmentFlags, hasMap: Bool,
    ) async throws -> Stored {
        var flags = flags
        if case .damaged = received.inspection?.wholeness { flags.insert(.damaged) }
        let format = SegmentFormat(of: received, intake, hasMap: hasMap)
        let name = SegmentName(start: start, revision: 0, fileExtension: format.container)
        let object = try await draft.commit(as: .segment(channel, rendition, name))
        return Stored(
            object: object, format: format, flags: flags, plainBytes: received.plainBytes,
            iv: intake.isStoredEncrypted ? intake.iv : nil,
            firstTimestamp: received.inspection?.firstTimestamp?.mpegTicks)
    }
}
