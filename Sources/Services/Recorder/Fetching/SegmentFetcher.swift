import Digest
import HLS
import HTTP
import HTTPClient
import MediaFormat
package import SegmentStore
package import Timeline

/// Brings one rendition's segments from a source into the archive, verified.
struct SegmentFetcher: Sendable {
    let channel: ChannelID
    let rendition: RenditionID
    let link: SourceClient
    let store: any SegmentStore
    let keys: KeyCache
    let initializations: InitSectionCache
    let encryption: EncryptionChoice
    let isDiskFull: @Sendable () -> Bool

    /// What a try led to.
    enum Fetched: Sendable {
        case stored(StoredSegment)
        /// The bytes are durable but need a missing key; `isDenied`: the source refuses the key's URL.
        case keyPending(KeyPendingSegment, isDenied: Bool = false)
    }

    /// Fetches, verifies and stores a segment.
    ///
    /// A segment that its key does not open is stored encrypted after some tries, and waits for another key.
    /// If the key opens its beginning, or later segments, the segment is damaged: its readable part is stored
    /// in the end.
    func fetch(_ request: SegmentRequest) async throws(FetchFailure) -> Fetched {
        do {
            return try await attempt(request)
        } catch {
            if error.isCut { throw error }
            if error.failsToDecrypt, error.damagedByteCount == nil,
                let fetched = try await underEarlierKey(request)
            {
                return fetched
            }
            let isKeyRight = await isKeyRight(for: request.segment, base: request.base, after: error)
            if isKeyRight || error.provesKey {
                guard error.damagedByteCount.map(request.acceptsDamage) ?? request.isLast else {
                    throw error.asSegmentCorrupt
                }
                return try await storeReadablePart(request, after: error, isKeyRight: isKeyRight)
            }
            if error.failsToDecrypt || error.reason == .segmentCorrupt {
                await rejectKeys(of: request.segment, base: request.base)
            }
            // A segment that is already stored in part keeps that part and does not wait for a key.
            guard error.reason == .keyMissing, error.isTransient, request.keepsUndecryptable(error),
                request.held == nil, !Task.isCancelled
            else { throw error }
            return try await storeUndecryptable(request)
        }
    }

    /// Reads a listed segment without storing it; nil if a key is missing.
    func probe(_ request: ProbeRequest) async throws(FetchFailure) -> ProbedSegment? {
        try await mappingErrors {
            let prerequisites = try await prerequisites(of: request.segment, base: request.base)
            if prerequisites.isPending, prerequisites.cipher != nil, !prerequisites.isStoredEncrypted {
                return nil
            }
            let sum = try RunningDigest()
            let body = try await open(
                request.segment, base: request.base, timeLimit: request.timeLimit)
            let received = try await read(body, with: prerequisites) { try sum.take($0) }
            let isWhole = received.inspection?.integrity == .whole
            return ProbedSegment(
                digest: try sum.finish(), firstTimestamp: received.inspection?.firstTimestamp?.mpegTicks,
                measuredDuration: isWhole ? received.inspection?.durationMicroseconds : nil)
        }
    }

    // MARK: One try

    private func attempt(
        _ request: SegmentRequest, under key: ContentKey? = nil,
    ) async throws(FetchFailure) -> Fetched {
        try await mappingErrors {
            guard !isDiskFull() else { throw FetchFailure(.diskFull, "the disk is full") }
            let prerequisites = try await prerequisites(of: request.segment, base: request.base, under: key)
            if prerequisites.isPending { return try await storeWithoutKey(request, prerequisites) }
            let draft = try await store.makeDraft()
            let known = request.requiredBeginning.map {
                KnownBeginning($0, in: store, acceptsOthers: request.mayTakeOtherBytes)
            }
            // Each piece is read, decrypted and inspected on the thread that writes it.
            let received = try await withTaskExecutorPreference(draft.executor) {
                try await receive(request, prerequisites) {
                    try await known?.check($0)
                    try await draft.append($0)
                }
            }
            try check(received, of: request, prerequisites, isOther: known?.isOther ?? false)
            if let key { try await keys.keep(key) }
            await noteOpened(received, prerequisites, start: request.segment.placed.start)
            return .stored(try await commit(draft, received, prerequisites, request.segment))
        }
    }

    /// Keeps a segment whose key is missing, unless a part of it is stored already.
    private func storeWithoutKey(
        _ request: SegmentRequest, _ prerequisites: SegmentPrerequisites,
    ) async throws -> Fetched {
        guard request.held == nil else {
            throw FetchFailure(.keyMissing, "the key to read better bytes is missing")
        }
        return .keyPending(
            try await storeEncrypted(request, prerequisites), isDenied: prerequisites.isDenied)
    }

    /// Throws unless received bytes are to be stored; `isOther`: they differ from the beginning that is
    /// stored.
    private func check(
        _ received: SegmentReading.Result, of request: SegmentRequest, _ prerequisites: SegmentPrerequisites,
        isOther: Bool,
    ) throws(FetchFailure) {
        if isOther,
            !request.takesOtherBytes(
                firstTimestamp: received.inspection?.firstTimestamp?.mpegTicks, isCut: received.isCut)
        {
            throw .otherBeginning
        }
        if prerequisites.isDeciphered, !received.isIncomplete,
            case .damaged(let damage) = received.inspection?.integrity,
            !request.acceptsDamage(byteCount: received.plainBytes)
        {
            throw FetchFailure(damaged: damage, byteCount: received.plainBytes)
        }
        try request.checkBetter(received)
    }

    /// A key that has decrypted a whole segment is the right one.
    func noteOpened(
        _ received: SegmentReading.Result, _ prerequisites: SegmentPrerequisites, start: Instant,
    ) async {
        guard prerequisites.isDeciphered, let key = prerequisites.key,
            received.inspection?.integrity == .whole
        else { return }
        await keys.opened(key, start: start)
    }

    /// Reads a segment, or the part of it that came before the transfer was cut.
    ///
    /// Throws the cut where that part is not kept.
    private func receive(
        _ request: SegmentRequest, _ prerequisites: SegmentPrerequisites, keep: ([UInt8]) async throws -> Void,
    ) async throws -> SegmentReading.Result {
        let body = TruncatableBody(
            try await open(
                request.segment, base: request.base, timeLimit: request.timeLimit,
                silence: request.silenceLimit, wantsOrigin: request.held != nil,
                isFresh: request.wantsFreshConnection))
        do {
            let received = try await read(body, with: prerequisites, keep: keep)
            if let cut = body.cut, await !keepsIncomplete(received, request, prerequisites) { throw cut }
            return received
        } catch {
            throw body.cut ?? error
        }
    }

    /// Whether a part whose transfer was cut is kept: its key must be known to be right, or be proved by it.
    private func keepsIncomplete(
        _ received: SegmentReading.Result, _ request: SegmentRequest, _ prerequisites: SegmentPrerequisites,
    ) async -> Bool {
        guard received.inspection != nil, request.keepsCutPart(byteCount: received.plainBytes) else {
            return false
        }
        guard prerequisites.isDeciphered, !received.provesKey, let key = prerequisites.key else {
            return true
        }
        return await keys.isRight(key, for: request.segment.placed.start)
    }

    /// Stores the readable part of an incomplete segment.
    ///
    /// If the key is not known to be right, the decrypted media must prove it; otherwise throws `failure`.
    private func storeReadablePart(
        _ request: SegmentRequest, after failure: FetchFailure, isKeyRight: Bool,
        under key: ContentKey? = nil,
    ) async throws(FetchFailure) -> Fetched {
        do throws(FetchFailure) {
            return try await mappingErrors {
                let listed = request.segment
                var prerequisites = try await prerequisites(of: listed, base: request.base, under: key)
                guard prerequisites.isDeciphered else { throw failure }
                prerequisites.keepsIncomplete = true
                let draft = try await store.makeDraft()
                let body = TruncatableBody(
                    try await open(
                        listed, base: request.base, timeLimit: request.timeLimit,
                        silence: request.silenceLimit))
                let received = try await read(body, with: prerequisites) { try await draft.append($0) }
                guard isKeyRight || received.provesKey else { throw failure }
                try request.checkBetter(received)
                if let key { try await keys.keep(key) }
                return .stored(try await commit(draft, received, prerequisites, listed))
            }
        } catch {
            throw error.failsToDecrypt ? error.asSegmentCorrupt : error
        }
    }

    /// Tries the earlier keys of a segment's key URL, because the current key does not decrypt to media.
    ///
    /// Nil when no key opens the segment.
    private func underEarlierKey(_ request: SegmentRequest) async throws(FetchFailure) -> Fetched? {
        for key in await earlierKeys(of: request.segment, base: request.base) {
            do throws(FetchFailure) {
                return try await attempt(request, under: key)
            } catch {
                // The bytes begin as media: the key is right, and the end is missing.
                guard error.failsToDecrypt, let count = error.damagedByteCount else { continue }
                guard request.acceptsDamage(byteCount: count) else { throw error.asSegmentCorrupt }
                return try await storeReadablePart(request, after: error, isKeyRight: true, under: key)
            }
        }
        return nil
    }

    /// Keeps a segment that the key at hand does not open.
    private func storeUndecryptable(_ request: SegmentRequest) async throws(FetchFailure) -> Fetched {
        try await mappingErrors {
            let prerequisites = try await prerequisites(
                of: request.segment, base: request.base, asksForKeys: false)
            return .keyPending(try await storeEncrypted(request, prerequisites))
        }
    }

    /// Runs `body` and converts every error to `FetchFailure`.
    func mappingErrors<T>(_ body: () async throws -> T) async throws(FetchFailure) -> T {
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
            throw FetchFailure.undecryptable("the padding is wrong")
        } catch {
            throw FetchFailure(.segmentMissing, "\(error)")
        }
    }

    // MARK: Bytes

    func open(
        _ listed: ListedSegment, base: HTTPURL, timeLimit: Duration,
        silence: Duration = Limits.segmentSilence, wantsOrigin: Bool = false, isFresh: Bool = false,
    ) async throws -> BodySlice {
        try await BodySlice.open(
            try link.resolve(listed.entry.uri, against: base), range: listed.entry.byteRange, link: link,
            timeLimit: timeLimit, silence: silence, wantsOrigin: wantsOrigin, isFresh: isFresh,
            isEncrypted: !listed.entry.keys.isEmpty)
    }

    /// Streams a body through decryption and inspection to where it is kept.
    func read(
        _ body: any SegmentBody, with prerequisites: SegmentPrerequisites,
        keep: ([UInt8]) async throws -> Void,
    ) async throws -> SegmentReading.Result {
        let reading = try SegmentReading(prerequisites)
        while let chunk = try await body.next() {
            let kept = try reading.take(chunk)
            if !kept.isEmpty { try await keep(kept) }
        }
        let (rest, result) = try reading.finish(isCut: body.cut != nil)
        if !rest.isEmpty { try await keep(rest) }
        return result
    }

    private func commit(
        _ draft: consuming SegmentDraft, _ received: SegmentReading.Result,
        _ prerequisites: SegmentPrerequisites, _ listed: ListedSegment,
    ) async throws -> StoredSegment {
        try await commit(
            draft, received, prerequisites, start: listed.placed.start, flags: listed.flags,
            hasMap: listed.entry.map != nil)
    }

    /// Commits the draft under a name with the extension of its container.
    func commit(
        _ draft: consuming SegmentDraft, _ received: SegmentReading.Result,
        _ prerequisites: SegmentPrerequisites,
        start: Instant, flags: SegmentFlags, hasMap: Bool,
    ) async throws -> StoredSegment {
        var flags = flags
        if !received.isWhole { flags.insert(.damaged) }
        let format = SegmentFormat(of: received, prerequisites, hasMap: hasMap)
        let name = SegmentName(start: start, revision: 0, fileExtension: format.container)
        let object = try await draft.commit(as: .segment(channel, rendition, name))
        return StoredSegment(
            object: object, format: format, flags: flags, plainBytes: received.plainBytes,
            iv: prerequisites.isStoredEncrypted ? prerequisites.iv : nil,
            firstTimestamp: received.inspection?.firstTimestamp?.mpegTicks,
            measuredDuration: flags.contains(.damaged) ? nil : received.inspection?.durationMicroseconds,
            keyFrames: received.inspection?.keyFrames, isCut: received.isCut)
    }
}

/// What is known of a segment whose bytes are durable.
package struct StoredSegment: Sendable {
    package var object: CommittedObject
    var format: SegmentFormat
    var flags: SegmentFlags
    var plainBytes: Int64
    var iv: [UInt8]?
    /// The first timestamp of its media, units of 90 kHz; nil if it is unknown or not plausible.
    package var firstTimestamp: Int64?
    /// Duration of the leading track's media, microseconds; nil if it cannot be measured, if the media are
    /// incomplete, or if it exceeds `Limits.longestSegment`.
    var measuredDuration: Int64?
    var keyFrames: KeyFrames?
    /// Whether the transfer was cut, so that only the beginning of the segment is stored.
    package var isCut: Bool

    package init(
        object: CommittedObject, format: SegmentFormat, flags: SegmentFlags, plainBytes: Int64,
        iv: [UInt8]? = nil, firstTimestamp: Int64? = nil, measuredDuration: Int64? = nil,
        keyFrames: KeyFrames? = nil, isCut: Bool = false,
    ) {
        self.object = object
        self.format = format
        self.flags = flags
        self.plainBytes = plainBytes
        self.iv = iv
        self.firstTimestamp = Limits.plausibleTimestamp(firstTimestamp)
        self.measuredDuration = Limits.plausibleDuration(measuredDuration)
        self.keyFrames = keyFrames
        self.isCut = isCut
    }
}
