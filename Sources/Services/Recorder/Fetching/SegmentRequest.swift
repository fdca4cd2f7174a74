import Catalogue
import Concurrency
import HLS
import HTTP
import SegmentStore
package import Timeline

/// One try to fetch a listed segment.
package struct SegmentRequest: Sendable {
    @Boxed package var segment: ListedSegment
    /// What relative URLs of its playlist are resolved against.
    @Boxed var base: HTTPURL
    package var use: SourceUse
    /// Whether it is fetched after the newest segments, because the queue was full when it was listed or
    /// because a part of it is stored.
    var isPostponed = false
    /// From 1.
    var attempt = 1
    /// Whether this is the last attempt, which accepts incomplete bytes: the source may drop the segment at
    /// any time.
    package var isLast = false
    /// How long this try may take.
    var timeLimit = Limits.segmentTimeout
    /// How long this try may wait without a byte.
    var silenceLimit = Limits.segmentSilence
    /// Bytes of the incomplete segment when it was last read.
    ///
    /// A segment that is still being written has more bytes at the next try.
    var damagedByteCount: Int64?

    /// The incomplete bytes that are already stored; nil if there are none.
    package var held: IncompleteSegment?
    /// The source has answered with no better bytes than those.
    var hasNoBetterBytes = false
    /// How many changed playlists have listed the segment since other bytes of it came; nil if none came.
    var listingsSinceOtherBytes: Int?

    /// Whether the source did not deliver it in an earlier attempt.
    var isRefused = false
    /// The full disk did not take it in an earlier try.
    var wasDiskFull = false
    /// The hole that it fills, from a source that may not be in use; nil for what is recorded in its turn.
    var repair: Repair?

    /// How long the next try waits after this one failed, or brought a part.
    var pause: Duration {
        let pause = Duration.milliseconds(min(200 << min(attempt - 1, 4), 3000))
        let spared = attempt - Limits.triesForWhole
        guard held != nil, !mayBeWhole, spared >= 0 else { return pause }
        return min(
            max(.microseconds(segment.placed.duration), pause) * (1 << min(spared, 4)),
            Limits.longestPauseForWhole)
    }

    /// The request with a later `availableUntil`, as the source still lists the segment.
    ///
    /// After `Limits.triesWhileListed` tries it no longer changes.
    func available(until time: SteadyInstant) -> SegmentRequest {
        guard attempt < Limits.triesWhileListed, time > segment.availableUntil else { return self }
        var request = self
        request.segment.availableUntil = time
        return request
    }

    /// The same request, queued after segments of which nothing is stored if a part of this one is.
    var afterNewSegments: SegmentRequest {
        guard held != nil else { return self }
        var request = self
        request.isPostponed = true
        return request
    }

    /// The first try may have failed because of its connection or the server that it leads to.
    var wantsFreshConnection: Bool { attempt == 2 && (held == nil || mayBeWhole) }

    /// Whether only transfers have failed so far, so that the source may have the whole segment.
    var mayBeWhole: Bool { held?.beginning != nil && !hasNoBetterBytes }

    /// What the segment must begin with; nil also for another source, which has bytes of its own: their media
    /// and their length are compared.
    package var requiredBeginning: IncompleteSegment.Beginning? { repair == nil ? held?.beginning : nil }

    /// Whether bytes may be accepted that do not begin with the stored ones.
    ///
    /// Another server of the source may have packaged the same media. An encoder that has started again may
    /// also use the same name, but then the next playlists no longer list the segment, or their numbers show
    /// the restart.
    var mayTakeOtherBytes: Bool { (listingsSinceOtherBytes ?? 0) >= Limits.listingsForOtherBytes }

    /// Whether bytes are accepted that do not begin with the stored ones: all of the segment, with the same
    /// first timestamp (90 kHz) if both are known.
    package func takesOtherBytes(firstTimestamp: Int64?, isCut: Bool) -> Bool {
        guard !isCut, mayTakeOtherBytes else { return false }
        guard let known = held?.beginning?.firstTimestamp, let firstTimestamp else { return true }
        return HeldMedia.distance(from: known, to: firstTimestamp).magnitude
            <= Limits.sameTimestamp.magnitude
    }

    /// Whether what came before the transfer was cut is stored.
    ///
    /// The first bytes of all segments are alike and do not identify a segment: if only these arrived, the
    /// second attempt follows at once. A segment that fills a hole must be complete.
    package func keepsCutPart(byteCount: Int64) -> Bool {
        repair == nil && (attempt > 1 || isLast || byteCount >= Limits.knownBeginning)
    }

    /// Whether a segment that is not whole is stored all the same.
    func acceptsDamage(byteCount: Int64) -> Bool {
        isLast || byteCount == damagedByteCount && attempt >= Limits.triesForWhole
    }

    /// Whether a segment that the key at hand does not open is stored as it came, to wait for another key.
    ///
    /// It is stored after `Limits.triesForWhole` tries, as many sources delete segments earlier than the
    /// standard says. If the key opens its beginning, more bytes may come: then only the last try stores it.
    package func keepsUndecryptable(_ failure: FetchFailure) -> Bool {
        isLast || failure.damagedByteCount == nil && attempt >= Limits.triesForWhole
    }
}

extension SegmentRequest {
    /// Throws if the received bytes are not better than the stored ones.
    func checkBetter(_ received: SegmentReading.Result) throws(FetchFailure) {
        guard let held, !held.isImproved(byCount: received.plainBytes, whole: received.isWhole) else {
            return
        }
        var failure = FetchFailure.noBetterBytes
        // A transfer that was cut earlier than the previous one does not show which bytes the source has.
        if received.isCut, received.plainBytes < held.byteCount { failure.hasNoBetterBytes = false }
        throw failure
    }
}

/// Bytes of a segment that are stored, and are not all of it.
package struct IncompleteSegment: Sendable {
    /// After decryption.
    package var byteCount: Int64
    /// The container shows that bytes are missing; else only the measured duration does.
    var isDamaged: Bool
    /// It counted as whole until the next segment showed that its end is missing.
    var isCut = false
    /// Whether the missing end is only an assumption, because other segments of the source grew.
    var isSuspected = false
    var revision: Int16
    /// Where its bytes are, if its transfer was cut: the segment begins with so many of them; nil if an
    /// earlier recorder has stored it.
    package var beginning: Beginning?

    package struct Beginning: Sendable {
        package var key: ArchiveKey
        package var byteCount: Int64
        /// 90 kHz, modulo 2^33.
        package var firstTimestamp: Int64?
    }

    init(_ stored: StoredSegment) {
        byteCount = stored.plainBytes
        if stored.isCut {
            beginning = Beginning(
                key: stored.object.key, byteCount: byteCount, firstTimestamp: stored.firstTimestamp)
        }
        isDamaged = stored.flags.contains(.damaged)
        revision = if case .segment(_, _, let name) = stored.object.key { name.revision } else { 0 }
    }

    /// What an earlier recorder has stored.
    init(_ part: KnownIncompleteSegment) {
        (byteCount, revision) = (part.plainBytes, part.revision)
        isDamaged = part.flags.contains(.damaged)
    }

    /// Whether other bytes of the segment are better.
    func isImproved(byCount count: Int64, whole isWhole: Bool) -> Bool {
        count > byteCount || isWhole && isDamaged
    }
}

extension SegmentRequest {
    /// How long a try may take that begins now: until the source need not hold the segment any longer.
    ///
    /// The first one takes no longer than `Limits.segmentTimeout`, as another connection may be faster; each
    /// later one may take twice as long as the one before.
    func timeLimit(now: SteadyInstant) -> Duration {
        let longest = min(Limits.segmentTimeout * (1 << min(attempt - 1, 4)), Limits.longestSegmentTimeout)
        return min(max(segment.availableUntil - now, segment.leastTimeLimit), longest)
    }

    /// How long this try may wait without a byte at most; each later one may wait twice as long.
    ///
    /// A server that hangs is left soon, because another connection may reach another one. A source that
    /// makes its segments when they are requested needs longer for the first byte.
    var longestSilence: Duration { Limits.segmentSilence * (1 << min(attempt - 1, 4)) }
}

extension ListedSegment {
    /// A try may take as long as the segment itself, also when the source need not hold it any longer.
    var leastTimeLimit: Duration {
        min(max(.microseconds(placed.duration), Limits.shortestSegmentTimeout), Limits.segmentTimeout)
    }
}

/// A request to read a segment without storing it, to judge a doubtful playlist or a jump in time.
package struct ProbeRequest: Sendable {
    @Boxed package var segment: ListedSegment
    @Boxed var base: HTTPURL
    package var use: SourceUse
    /// Until when the playlist may wait for it.
    var until: SteadyInstant
    /// From 1.
    var attempt = 1
    /// How long this try may take.
    var timeLimit = Limits.playlistTimeout
    /// Whether it locates the playlist of another source on the timeline, to fill holes.
    var isForRepair = false
}
