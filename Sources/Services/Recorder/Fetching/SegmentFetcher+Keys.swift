import Digest
import HLS
import HTTP
import SegmentStore
import Timeline

/// Keys and initialization sections: what a segment needs before it can be read.
extension SegmentFetcher {
    /// Gets what a listed segment needs before it can be read: key and initialization section.
    ///
    /// `asksForKeys` is false when the keys are known not to fit. `given` replaces the segment's own key.
    func prerequisites(
        of listed: ListedSegment, base: HTTPURL, asksForKeys: Bool = true, under given: ContentKey? = nil,
    ) async throws -> SegmentPrerequisites {
        var prerequisites = SegmentPrerequisites()
        prerequisites.method = (identityKey(of: listed.entry) ?? listed.entry.keys.first)?.method
        prerequisites.drmTags = drmTags(of: listed.entry)
        if let cipher = try cipher(of: listed, base: base) {
            var key = given
            if key == nil, asksForKeys {
                key = try await keyAtHand(cipher, domain: listed.discontinuityCount, &prerequisites)
            }
            take(cipher, key: key, into: &prerequisites)
            prerequisites.isPending = key == nil
        }
        if let map = listed.entry.map {
            try await take(
                map, base: base, domain: listed.discontinuityCount, asksForKeys: asksForKeys,
                into: &prerequisites)
        }
        return prerequisites
    }

    /// What is needed for a segment that waits for its key; without a key, the one at its URL.
    func prerequisites(of pending: KeyPendingSegment, under key: ContentKey?) async throws
        -> SegmentPrerequisites
    {
        var prerequisites = SegmentPrerequisites()
        prerequisites.drmTags = pending.drmTags
        if let cipher = pending.cipher {
            prerequisites.method = cipher.sampleMethod.map(Key.Method.init(rawValue:)) ?? .aes128
            var key = key
            if key == nil { key = try await latestKey(cipher) }
            take(cipher, key: key, into: &prerequisites)
        }
        if let kept = pending.initialization { prerequisites.initialization = try await section(of: kept) }
        return prerequisites
    }

    /// The initialization section of a segment that waits for its key.
    ///
    /// A section that was decrypted with a wrong key cannot be parsed; the next key is tried.
    private func section(
        of kept: KeyPendingSegment.Initialization,
    ) async throws -> ArchivedInitSection {
        guard let cipher = kept.cipher else {
            return try await initializations.section(named: kept.name, key: nil)
        }
        if let key = try await keyInPlaylist(cipher) {
            return try await initializations.section(named: kept.name, key: (key, iv: cipher.iv))
        }
        let url = try HTTPURL(cipher.keyURL)
        for key in await keys.otherKeys(of: url) {
            let section = try? await initializations.section(named: kept.name, key: (key, iv: cipher.iv))
            if let section { return section }
        }
        do {
            let key = try await keys.latestKey(at: url, link: link)
            return try await initializations.section(named: kept.name, key: (key, iv: cipher.iv))
        } catch let failure as FetchFailure where failure.reason == .keyMissing {
            guard let key = await keys.renewed(url, link: link),
                let section = try? await initializations.section(
                    named: kept.name, key: (key, iv: cipher.iv))
            else { throw failure }
            return section
        }
    }

    /// Whether the segment is incomplete although its key is right: the key has opened a later segment.
    func isKeyRight(
        for listed: ListedSegment, base: HTTPURL, after failure: FetchFailure,
    ) async -> Bool {
        guard failure.failsToDecrypt || failure.reason == .segmentCorrupt,
            let cipher = try? cipher(of: listed, base: base), cipher.sampleMethod == nil,
            let url = try? HTTPURL(cipher.keyURL)
        else { return false }
        return await keys.isRight(at: url, for: listed.placed.start)
    }

    /// Other keys from the URL of a segment's key: earlier ones, and those with other tokens.
    func earlierKeys(of listed: ListedSegment, base: HTTPURL) async -> [ContentKey] {
        guard let cipher = try? cipher(of: listed, base: base), cipher.sampleMethod == nil,
            let url = try? HTTPURL(cipher.keyURL)
        else { return [] }
        return await keys.otherKeys(of: url)
    }

    /// The keys at hand did not open a segment.
    func rejectKeys(of listed: ListedSegment, base: HTTPURL) async {
        guard let cipher = try? cipher(of: listed, base: base), let url = try? HTTPURL(cipher.keyURL) else {
            return
        }
        await keys.rejectKey(url)
    }

    /// Only players decrypt sample encryption: such segments are stored as received.
    private func take(
        _ cipher: KeyPendingSegment.Cipher, key: ContentKey?, into prerequisites: inout SegmentPrerequisites,
    ) {
        prerequisites.cipher = cipher
        prerequisites.iv = cipher.iv.isEmpty ? nil : cipher.iv
        prerequisites.key = key
        prerequisites.isStoredEncrypted = encryption == .keep || cipher.sampleMethod != nil
    }

    private func take(
        _ map: MediaMap, base: HTTPURL, domain: Int, asksForKeys: Bool,
        into prerequisites: inout SegmentPrerequisites,
    ) async throws {
        let url = try link.resolve(map.uri, against: base)
        guard let cipher = try cipher(of: map, base: base) else {
            prerequisites.initialization = try await initializations.section(
                map, at: url, domain: domain, link: link, key: nil)
            return
        }
        if asksForKeys, let key = try await keyAtHand(cipher, domain: domain, &prerequisites) {
            prerequisites.initialization = try await initializations.section(
                map, at: url, domain: domain, link: link, key: (key, iv: cipher.iv))
            return
        }
        prerequisites.isPending = true
        prerequisites.encryptedInitialization = KeyPendingSegment.Initialization(
            name: try await initializations.keep(map, at: url, link: link), cipher: cipher)
    }

    /// The key of a segment that is just listed; nil when it is missing now.
    ///
    /// The recorder cannot check a key for samples, so it is used only up to the next discontinuity.
    private func keyAtHand(
        _ cipher: KeyPendingSegment.Cipher, domain: Int, _ prerequisites: inout SegmentPrerequisites,
    ) async throws -> ContentKey? {
        if let key = try await keyInPlaylist(cipher) { return key }
        let place =
            cipher.sampleMethod == nil
            ? nil : KeyCache.Domain(rendition: rendition, discontinuityCount: domain)
        do {
            return try await keys.key(at: try HTTPURL(cipher.keyURL), in: place, link: link)
        } catch {
            guard let failure = error as? FetchFailure, failure.reason == .keyMissing, !Task.isCancelled
            else { throw error }
            if failure.isDenied { prerequisites.isDenied = true }
            return nil
        }
    }

    private func latestKey(_ cipher: KeyPendingSegment.Cipher) async throws -> ContentKey {
        if let key = try await keyInPlaylist(cipher) { return key }
        return try await keys.latestKey(at: try HTTPURL(cipher.keyURL), link: link)
    }

    /// The key that the playlist has in a `data:` URI; nil where it has the URL of one.
    private func keyInPlaylist(_ cipher: KeyPendingSegment.Cipher) async throws -> ContentKey? {
        guard let bytes = DataURI.bytes(of: cipher.keyURL) else { return nil }
        return try await keys.key(bytes)
    }

    private func identityKey(of entry: MediaSegment) -> Key? {
        entry.keys.first { $0.keyFormat == Key.identityFormat }
    }

    private func cipher(of listed: ListedSegment, base: HTTPURL) throws -> KeyPendingSegment.Cipher? {
        guard let key = identityKey(of: listed.entry) else { return nil }
        let vector = listed.vector(of: key)
        switch key.method {
        case .aes128: return try cipher(key, vector: vector, base: base)
        // A key URI that HTTP cannot fetch, such as skd:, belongs to a DRM system: the segment is recorded
        // without the key.
        case .sampleAES: return try? cipher(key, vector: vector, base: base)
        case .sampleAESCTR: return try? cipher(key, vector: nil, base: base)
        default: return nil
        }
    }

    /// A map under AES-128 needs an explicit IV (RFC 8216bis §4.4.4.5).
    private func cipher(of map: MediaMap, base: HTTPURL) throws -> KeyPendingSegment.Cipher? {
        guard let key = map.keys.first(where: { $0.keyFormat == Key.identityFormat && $0.method == .aes128 }),
            let vector = key.initializationVector
        else { return nil }
        return try cipher(key, vector: vector, base: base)
    }

    private func cipher(_ key: Key, vector: UInt128?, base: HTTPURL) throws -> KeyPendingSegment.Cipher {
        guard let uri = key.uri else {
            throw FetchFailure(.keyMissing, "EXT-X-KEY has no URI", isTransient: false)
        }
        return KeyPendingSegment.Cipher(
            keyURL: try keyLocation(uri, base: base),
            iv: vector.map(Key.bytes) ?? [],
            sampleMethod: key.method.leavesContainerClear ? key.method.rawValue : nil)
    }

    private func keyLocation(_ uri: String, base: HTTPURL) throws -> String {
        guard DataURI.isDataURI(uri) else { return try link.resolve(uri, against: base).absoluteString }
        let count = uri.utf8.count <= Limits.keyBytes ? DataURI.bytes(of: uri)?.count : nil
        guard count == AES128CBC.keyByteCount else {
            throw FetchFailure(
                .keyMissing, "a data: URI does not hold a key of 16 bytes", isTransient: false)
        }
        return uri
    }

    /// Keys of DRM systems cannot be recorded; their tags are kept as they came.
    private func drmTags(of entry: MediaSegment) -> [String] {
        entry.keys.filter { $0.keyFormat != Key.identityFormat }.map { key in
            var writer = PlaylistWriter()
            writer.key(key)
            return String(decoding: writer.bytes, as: UTF8.self).trimmingLineEnd()
        }
    }
}

extension String {
    fileprivate func trimmingLineEnd() -> String {
        hasSuffix("\n") ? String(dropLast()) : self
    }
}
