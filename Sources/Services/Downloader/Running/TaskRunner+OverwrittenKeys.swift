import Concurrency
import Timeline

/// A key with its name in the folder `keys`.
private struct KnownKey {
    var name: String
    var bytes: [UInt8]
}

/// Keys that a source overwrites, as live ones do: another key under the same URI.
extension TaskRunner {
    /// The key of a part's URI for the next attempt; nil where there is no other.
    ///
    /// `failed` are the keys that did not open the part, the latest last. The key may still be right if the
    /// part was damaged in transfer. So every second attempt uses the current key of the URI, and the
    /// attempts between them use earlier keys. A new key gets its own file in the folder, because earlier
    /// keys are still needed for other segments.
    func otherKey(of index: PartIndex, than failed: [[UInt8]]) async -> [UInt8]? {
        // One part asks at a time; the others then use the key that it has found.
        let key = try? await askingForKeys.withPermit { () async throws(DownloadError) -> [UInt8]? in
            guard let uri = keyURI(of: index) else { return nil }
            let known = knownKeys(at: uri)
            if let latest = known.first, !failed.contains(latest.bytes) {
                return try await take(latest.name, for: index) ? latest.bytes : nil
            }
            let current = await currentKey(at: uri, for: index)
            guard let likely = current ?? known.first?.bytes else { return nil }
            if failed.last == likely {
                let others = known.filter { $0.bytes != likely }
                guard let previous = Self.previous(others, failed) else { return nil }
                return try await take(previous.name, for: index) ? previous.bytes : nil
            }
            guard let name = known.first(where: { $0.bytes == likely })?.name else {
                return try await takeNew(likely, for: index) ? likely : nil
            }
            return try await take(name, for: index) ? likely : nil
        }
        return key ?? nil
    }

    /// The first key that has not failed, else the one whose last failure is the earliest.
    private static func previous(_ known: [KnownKey], _ failed: [[UInt8]]) -> KnownKey? {
        known.min { (failed.firstIndex(of: $0.bytes) ?? -1) < (failed.firstIndex(of: $1.bytes) ?? -1) }
    }

    /// What the URI of a key has now; nil if it cannot be fetched.
    private func currentKey(at uri: String, for index: PartIndex) async -> [UInt8]? {
        try? await reader.key(
            uri, currentURI: { (await self.keyURI(of: index) ?? uri, await self.readingCount) },
            renew: { _ in })
    }

    private func keyURI(of index: PartIndex) -> String? { plans[index.plan].parts[index.part].key?.uri }

    /// The keys that have come from a URI, the latest first.
    private func knownKeys(at uri: String) -> [KnownKey] {
        keyNames.names(of: uri).reversed().compactMap { name in
            keys[name].map { KnownKey(name: name, bytes: $0) }
        }
    }

    private func takeNew(_ bytes: [UInt8], for index: PartIndex) async throws(DownloadError) -> Bool {
        // Playlists that are being read give keys their names as well.
        let isTaken = try await renewing.withPermit { () async throws(DownloadError) in
            guard let uri = keyURI(of: index) else { return false }
            let name = keyNames.newName(at: uri)
            if !storesClear { try await folder.replace("keys/\(name)", with: bytes, mode: 0o600) }
            keys[name] = bytes
            return try await write(name, for: index)
        }
        return isTaken ?? false
    }

    private func take(_ name: String, for index: PartIndex) async throws(DownloadError) -> Bool {
        try await renewing.withPermit { () async throws(DownloadError) in
            try await write(name, for: index)
        } ?? false
    }

    /// Notes in the folder which key opens a part; while no playlist is read, which would overwrite it.
    private func write(_ name: String, for index: PartIndex) async throws(DownloadError) -> Bool {
        plans[index.plan].nameKey(of: index.part, name)
        let line = try PartsFile.bytes(of: [plans[index.plan].parts[index.part].names])
        try await folder.append(line, to: PartsFile.name(of: plans[index.plan].id.description))
        return true
    }
}
