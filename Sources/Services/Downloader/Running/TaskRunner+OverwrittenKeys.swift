import Concurrency
import Timeline

/// Keys that a source overwrites, as live ones do: another key under the same URI.
extension TaskRunner {
    /// Another key of a part's URI than those that did not open it; nil where there is none.
    ///
    /// A new one gets a file of its own in the folder, because the former one still opens other segments.
    func otherKey(of index: PartIndex, than tried: [[UInt8]]) async -> [UInt8]? {
        // Asked for by one part at a time: for the others it is known then.
        let key = try? await askingForKeys.withPermit { () async throws(DownloadError) -> [UInt8]? in
            guard let uri = keyURI(of: index) else { return nil }
            if let known = knownKeys(at: uri).first(where: { !tried.contains($0.bytes) }) {
                return try await take(known.name, for: index) ? known.bytes : nil
            }
            let bytes = try await reader.key(
                uri, currentURI: { (await self.keyURI(of: index) ?? uri, await self.readings) },
                renew: { _ in })
            if tried.contains(bytes) { return nil }
            return try await takeNew(bytes, for: index) ? bytes : nil
        }
        return key ?? nil
    }

    private func keyURI(of index: PartIndex) -> String? { plans[index.plan].parts[index.part].key?.uri }

    /// The keys that have come from a URI, the latest first.
    private func knownKeys(at uri: String) -> [(name: String, bytes: [UInt8])] {
        keyNames.names(of: uri).reversed().compactMap { name in keys[name].map { (name, $0) } }
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
