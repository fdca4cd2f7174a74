import Digest
import HLS
import HTTP
import MediaFormat
import SegmentStore
import Timeline

/// Segments whose key comes after their bytes.
extension SegmentFetcher {
    /// Stores a segment as it comes, because a key is missing now.
    func storeEncrypted(
        _ request: SegmentRequest, _ prerequisites: SegmentPrerequisites,
    ) async throws -> KeyPendingSegment {
        let listed = request.segment
        let draft = try await store.makeDraft()
        let body = try await open(
            listed, base: request.base, timeLimit: request.timeLimit, silence: request.silenceLimit)
        var prerequisites = prerequisites
        prerequisites.isPending = true
        let received = try await read(body, with: prerequisites) { try await draft.append($0) }
        let container = SegmentExtension(of: received, hasMap: listed.entry.map != nil)
        let name = SegmentName(start: listed.placed.start, revision: 0, fileExtension: container)
        let object = try await draft.commit(as: .segment(channel, rendition, name))
        guard case .segment(_, _, let held) = object.key else { throw StoreError.invalidKey(object.key) }
        return KeyPendingSegment(
            channel: channel, identity: listed.identity, start: listed.placed.start,
            duration: listed.placed.duration,
            flags: listed.flags, revision: held.revision, container: held.fileExtension,
            cipher: prerequisites.cipher,
            initialization: prerequisites.encryptedInitialization
                ?? prerequisites.initialization.map { .init(name: $0.name, cipher: nil) },
            drmTags: prerequisites.drmTags,
            programDateTime: listed.programDateTime,
            arrived: listed.arrival, source: link.url.identity, boundary: listed.placed.boundary,
            cueTags: listed.keptTags)
    }

    /// Reads a segment that waited for its key, and stores it like any other segment.
    ///
    /// An incomplete segment is stored as it is, because the source no longer has it. A token in the key URL
    /// may have expired: other keys from the same URL are tried first, and the newest listed URL last.
    func open(_ pending: KeyPendingSegment) async throws(FetchFailure) -> StoredSegment {
        let url = pending.checkedKeyURL
        var alike: [ContentKey] = []
        if let url { alike = await keys.otherKeys(of: url) }
        for key in alike {
            if let stored = try await open(pending, trying: key) { return stored }
        }
        do throws(FetchFailure) {
            return try await open(pending, under: nil)
        } catch {
            if let url, error.failsToDecrypt {
                let isKeyRight = await keys.isRight(at: url, for: pending.start)
                if isKeyRight || error.provesKey { return try await openIncomplete(pending, under: nil) }
            }
            if let url, error.reason == .keyMissing, !error.failsToDecrypt,
                let key = await keys.renewed(url, link: link),
                !alike.contains(where: { $0.name == key.name }),
                let stored = try await open(pending, trying: key)
            {
                return stored
            }
            for url in pending.keyURLs.compactMap({ try? HTTPURL($0) }) { await keys.rejectKey(url) }
            throw error
        }
    }

    /// Tries a key that may be of other segments; nil when it does not open this one.
    private func open(
        _ pending: KeyPendingSegment, trying key: ContentKey,
    ) async throws(FetchFailure) -> StoredSegment? {
        do throws(FetchFailure) {
            return try await open(pending, under: key)
        } catch {
            guard error.failsToDecrypt || error.reason == .segmentCorrupt else { throw error }
            guard error.damagedByteCount != nil else { return nil }
            let isKeyRight = await keys.isRight(key, for: pending.start)
            return isKeyRight || error.provesKey ? try await openIncomplete(pending, under: key) : nil
        }
    }

    /// Reads a kept segment with a key, or with the one at its URL.
    private func open(
        _ pending: KeyPendingSegment, under key: ContentKey?,
    ) async throws(FetchFailure) -> StoredSegment {
        try await mappingErrors {
            let prerequisites = try await prerequisites(of: pending, under: key)
            let draft = try await store.makeDraft()
            let body = ArchivedBody(pending.key, in: store)
            let received = try await read(body, with: prerequisites) { try await draft.append($0) }
            if let key { try await keys.keep(key) }
            await noteOpened(received, prerequisites, start: pending.start)
            return try await commit(
                draft, received, prerequisites, start: pending.start, flags: pending.flags,
                hasMap: pending.initialization != nil)
        }
    }

    /// Opens the kept part of an incomplete segment with a key that is known to be right.
    private func openIncomplete(
        _ pending: KeyPendingSegment, under key: ContentKey?,
    ) async throws(FetchFailure) -> StoredSegment {
        do throws(FetchFailure) {
            return try await mappingErrors {
                var prerequisites = try await prerequisites(of: pending, under: key)
                prerequisites.keepsIncomplete = true
                let draft = try await store.makeDraft()
                let body = ArchivedBody(pending.key, in: store)
                let received = try await read(body, with: prerequisites) { try await draft.append($0) }
                if let key { try await keys.keep(key) }
                return try await commit(
                    draft, received, prerequisites, start: pending.start, flags: pending.flags,
                    hasMap: pending.initialization != nil)
            }
        } catch {
            guard error.failsToDecrypt else { throw error }
            var failure = error.asSegmentCorrupt
            failure.isTransient = false
            throw failure
        }
    }
}

extension KeyPendingSegment {
    /// The URL of its key, where what a key opens shows whether it is the right one.
    fileprivate var checkedKeyURL: HTTPURL? {
        guard let cipher, cipher.sampleMethod == nil else { return nil }
        return try? HTTPURL(cipher.keyURL)
    }
}
