import Digest
import HLS
import HTTP
import MediaFormat
import SegmentStore
import Timeline

/// Segments whose key comes after their bytes.
extension SegmentFetcher {
    /// Stores a segment as it comes, because a key is missing now.
    func keep(
        _ listed: ListedSegment, _ intake: SegmentIntake, base: HTTPURL, timeLimit: Duration,
    ) async throws -> KeyPendingSegment {
        let draft = try await store.makeDraft()
        let body = try await open(listed, base: base, timeLimit: timeLimit)
        var intake = intake
        intake.isPending = true
        let received = try await pass(body, through: intake) { try await draft.append($0) }
        let container = SegmentExtension(of: received, hasMap: listed.entry.map != nil)
        let name = SegmentName(start: listed.placed.start, revision: 0, fileExtension: container)
        let object = try await draft.commit(as: .segment(channel, rendition, name))
        guard case .segment(_, _, let held) = object.key else { throw StoreError.invalidKey(object.key) }
        return KeyPendingSegment(
            channel: channel, identity: listed.identity, start: listed.placed.start,
            duration: listed.placed.duration,
            flags: listed.flags, revision: held.revision, container: held.fileExtension,
            cipher: intake.cipher,
            initialization: intake.sealed
                ?? intake.initialization.map { .init(name: $0.name, cipher: nil) },
            drmTags: intake.drmTags,
            programDateTime: listed.programDateTime,
            arrived: listed.arrival, source: link.url.description, boundary: listed.placed.boundary,
            cueTags: listed.keptTags)
    }

    /// Reads a segment that waited for its key, and stores it as it would have been.
    ///
    /// One that is not whole is taken as it is: the source does not hold it any more.
    func open(_ pending: KeyPendingSegment) async throws(FetchFailure) -> StoredSegment {
        do throws(FetchFailure) {
            return try await mappingErrors {
                let intake = try await intake(of: pending)
                let draft = try await store.makeDraft()
                let body = KeptBody(pending.key, in: store)
                let received = try await pass(body, through: intake) { try await draft.append($0) }
                if intake.isDeciphered, let key = intake.key, received.inspection?.wholeness == .whole {
                    await keys.opened(key, start: pending.start)
                }
                return try await commit(
                    draft, received, intake, start: pending.start, flags: pending.flags,
                    hasMap: pending.initialization != nil)
            }
        } catch {
            if error.isUnopened, let cipher = pending.cipher, let url = try? HTTPURL(cipher.keyURL),
                await keys.isRight(at: url, for: pending.start)
            {
                return try await openPart(pending)
            }
            for url in pending.keyURLs.compactMap({ try? HTTPURL($0) }) { await keys.distrust(url) }
            throw error
        }
    }

    /// What there is of a kept segment that is not whole, under a key that is known to be right.
    private func openPart(_ pending: KeyPendingSegment) async throws(FetchFailure) -> StoredSegment {
        do throws(FetchFailure) {
            return try await mappingErrors {
                var intake = try await intake(of: pending)
                intake.takesPart = true
                let draft = try await store.makeDraft()
                let body = KeptBody(pending.key, in: store)
                let received = try await pass(body, through: intake) { try await draft.append($0) }
                return try await commit(
                    draft, received, intake, start: pending.start, flags: pending.flags,
                    hasMap: pending.initialization != nil)
            }
        } catch {
            guard error.isUnopened else { throw error }
            var failure = error.underRightKey
            failure.isTransient = false
            throw failure
        }
    }
}
