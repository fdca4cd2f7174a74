import Concurrency
import HLS
import HTTP
import MediaFormat

/// A part by its index in the plans.
struct PartIndex: Sendable, Equatable {
    var plan: Int
    var part: Int
}

extension TaskRunner {
    /// A section by its file and a part that needs it.
    private struct MissingSection: Sendable {
        var file: String
        var index: PartIndex
    }

    /// Fetches everything that is listed and not there.
    ///
    /// First keys, then initialization sections, then segments as they play.
    func fetchMissingParts() async throws(DownloadError) {
        let open = missingParts()
        takenCounts = plans.map(\.parts.count)
        try await fetchKeys()
        try await fetchSections()
        try await fetchSegments(open)
    }

    /// Queues parts that the playlists did not list before, beside those that are being fetched.
    func takeNewParts() async throws(DownloadError) {
        let counts = plans.map(\.parts.count)
        let new = missingParts(from: takenCounts)
        guard !new.isEmpty else { return }
        try await fetchKeys()
        try await fetchSections()
        takenCounts = counts
        for index in new {
            let file = "\(plans[index.plan].id)/\(plans[index.plan].parts[index.part].names.file)"
            // A player may have asked for it already.
            if let urgentParts, progresses[file]?.isDemanded == true {
                urgentParts.yield(index)
            } else {
                putBack(index)
            }
        }
    }

    /// Whether everything that is listed is there, with its keys.
    var isSettled: Bool { missingParts().isEmpty && missingKeys.isEmpty }

    /// The parts that have to be fetched in the order in which they play, all or those after so many.
    private func missingParts(from counts: [Int]? = nil) -> [PartIndex] {
        let indices = plans.indices.flatMap { plan in
            let parts = plans[plan].parts.indices.dropFirst(counts?[plan] ?? 0)
            return parts.filter { !plans[plan].parts[$0].isSettled }.map { PartIndex(plan: plan, part: $0) }
        }
        let limit = liveLimit ?? .infinity
        return indices.filter { position($0) < limit }.sorted {
            (position($0), $0.plan) < (position($1), $1.plan)
        }
    }

    func position(_ index: PartIndex) -> Double { plans[index.plan].parts[index.part].position }

    /// The names of the keys that are needed and that nothing is known of yet.
    ///
    /// A part that is stored clear needs its key no more; a clear section asks for it if it is not there.
    private var missingKeys: [String] {
        let limit = liveLimit ?? .infinity
        var names: Set<String> = []
        for plan in plans {
            for part in plan.parts where part.position < limit && !(storesClear && part.isSettled) {
                let sectionKey = storesClear ? nil : part.initSection?.keyName
                names.formUnion([part.names.key, sectionKey].compactMap(\.self))
            }
        }
        return names.filter { keys[$0] == nil }.sorted()
    }

    private func fetchKeys() async throws(DownloadError) {
        let missing = missingKeys
        guard !missing.isEmpty else { return }
        if !storesClear { try await folder.make(["keys"]) }
        try await JobQueue.carryOut(missing, at: tools.options.parallel) { name async throws(DownloadError) in
            try await self.fetchKey(name)
        }
    }

    private func fetchKey(_ name: String) async throws(DownloadError) {
        if let bytes = try await folder.read("keys/\(name)", upTo: 16), bytes.count == 16 {
            keys[name] = bytes
            return
        }
        guard let uri = keyNames.uris[name] else {
            throw .key("the file keys/\(name) is missing, and the source no longer lists its key")
        }
        let bytes = try await reader.key(
            uri, currentURI: { await self.keyAddress(name, previous: uri) },
            renew: { readingNumber async throws(DownloadError) in
                try await self.renew(since: readingNumber, isRefused: true)
            })
        if !storesClear { try await folder.replace("keys/\(name)", with: bytes, mode: 0o600) }
        keys[name] = bytes
    }

    private func keyAddress(_ name: String, previous: String) -> (uri: String, readingNumber: Int) {
        (keyNames.uris[name] ?? previous, readingCount)
    }

    func fetchSections() async throws(DownloadError) {
        let limit = liveLimit ?? .infinity
        var missing: [String: PartIndex] = [:]
        for plan in plans.indices {
            for (index, part) in plans[plan].parts.enumerated() where part.position < limit {
                guard let name = part.names.initSection else { continue }
                let file = "\(plans[plan].id)/\(name)"
                if sections[file] == nil, missing[file] == nil {
                    missing[file] = PartIndex(plan: plan, part: index)
                }
            }
        }
        let missingSections = missing.map { MissingSection(file: $0.key, index: $0.value) }
        try await JobQueue.carryOut(missingSections, at: tools.options.parallel) {
            section async throws(DownloadError) in
            try await self.fetchSection(section)
        }
    }

    private func fetchSection(_ section: MissingSection) async throws(DownloadError) {
        let index = section.index
        guard let source = plans[index.plan].parts[index.part].initSection else { return }
        if let bytes = try await folder.read(section.file, upTo: Limits.initSectionBytes) {
            let key = storesClear ? nil : source.keyName.flatMap { keys[$0] }
            return take(try Self.section(bytes, source, key: key), as: section)
        }
        if let name = source.keyName, keys[name] == nil { try await fetchKey(name) }
        let key = source.keyName.flatMap { keys[$0] }
        // Segments that a player waits for need it.
        let progress = PartProgress(clock: tools.clock)
        progress.demand()
        let job = PartJob(
            file: section.file, kind: .initSection, key: key, vector: source.key?.vectorBytes ?? [],
            storesClear: storesClear, byteLimit: Limits.initSectionBytes + 16, progress: progress,
            address: { await self.sectionAddress(index, source) },
            renew: { readingNumber async throws(DownloadError) in
                try await self.renew(since: readingNumber, isRefused: true)
            })
        guard let stored = try await fetcher.fetch(job) else { throw .cancelled }
        var read = try Self.section(stored.section, source, key: nil)
        read.isClear = !stored.wasEncrypted
        take(read, as: section)
    }

    /// Takes a section, which may be clear although the source names a key for it.
    private func take(_ read: (section: InitSection, isClear: Bool), as section: MissingSection) {
        sections[section.file] = read.section
        let name = plans[section.index.plan].parts[section.index.part].names.initSection
        if read.isClear, let name { plans[section.index.plan].clearSections.insert(name) }
    }

    private func sectionAddress(_ index: PartIndex, _ source: PartInitSection) -> PartAddress {
        let section = plans[index.plan].parts[index.part].initSection ?? source
        return PartAddress(url: section.url, range: section.range, readingNumber: readingCount)
    }

    /// Reads an initialization section, opened with a key if there is one.
    private static func section(
        _ bytes: [UInt8], _ source: PartInitSection, key: [UInt8]?
    ) throws(DownloadError) -> (section: InitSection, isClear: Bool) {
        do {
            let intake = try PartIntake(
                .initSection, key: key, vector: source.key?.vectorBytes ?? [], storesClear: true)
            _ = try intake.take(bytes)
            _ = try intake.finish()
            return (try InitSection.reading(intake.section), !intake.isEncrypted)
        } catch {
            throw .part(name: "the initialization section", reason: "\(error)")
        }
    }

    /// Fetches a segment; false when it was stopped for another one that a player waits for.
    func fetchSegment(_ index: PartIndex) async throws(DownloadError) -> Bool {
        underWay += 1
        defer {
            underWay -= 1
            if underWay == 0 { wakeIdle() }
        }
        let file = "\(plans[index.plan].id)/\(plans[index.plan].parts[index.part].names.file)"
        let progress = progress(of: file)
        defer { ended(file, progress) }
        let fetched: StoredBytes?
        do {
            fetched = try await fetcher.fetch(segmentJob(index, file, progress))
        } catch  where error.meansMissing && plans[index.plan].isDropped(index.part) {
            // The source no longer has it: the recording goes on without it.
            plans[index.plan].lose(index.part)
            countParts()
            try await saveProgress()
            return true
        }
        guard let stored = fetched else {
            begunParts.insert(file)
            // A player may have asked for it meanwhile.
            return progress.isDemanded ? try await fetchSegment(index) : false
        }
        begunParts.remove(file)
        plans[index.plan].markDone(index.part, byteCount: stored.byteCount)
        progress.finish(.whole)
        countParts()
        reportProgress()
        try await saveProgress()
        return true
    }

    private func segmentJob(_ index: PartIndex, _ file: String, _ progress: PartProgress) -> PartJob {
        // Copies only the part: with a copy of the plan, the next change of the plan would copy all of it.
        let id = plans[index.plan].id
        let part = plans[index.plan].parts[index.part]
        let section = part.names.initSection.flatMap { sections["\(id)/\($0)"] }
        return PartJob(
            file: file, kind: .segment(section), key: part.names.key.flatMap { keys[$0] },
            vector: part.key?.vectorBytes ?? [], storesClear: storesClear, byteLimit: Limits.segmentBytes,
            otherKey: { await self.otherKey(of: index, than: $0) }, isBegun: begunParts.contains(file),
            progress: progress, address: { await self.segmentAddress(index) },
            isDropped: { await self.plans[index.plan].isDropped(index.part) },
            renew: { readingNumber async throws(DownloadError) in
                try await self.renew(since: readingNumber, isRefused: true)
            })
    }

    private func segmentAddress(_ index: PartIndex) -> PartAddress {
        let part = plans[index.plan].parts[index.part]
        return PartAddress(url: part.url, range: part.segment.byteRange, readingNumber: readingCount)
    }
}

extension DownloadError {
    /// Whether something does not come from its address.
    fileprivate var meansMissing: Bool {
        switch self {
        case .part, .noNetwork: true
        default: false
        }
    }
}
