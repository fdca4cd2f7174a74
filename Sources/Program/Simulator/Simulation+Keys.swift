import HLS
import Recorder
import SegmentStore
import Timeline

/// Key servers, and segments that wait for their keys.
extension Simulation {
    /// What a key does to a segment.
    enum KeyAnswer {
        case opens, missing, wrong
    }

    /// Asks for the key of a segment, unless this process has it already.
    mutating func openKey(of index: Int, of source: Int, _ node: Int) -> KeyAnswer {
        guard let number = encoders[source].keyNumber(of: index) else { return .opens }
        let key = SimulatedNode.HeldKey(source: source, number: number)
        if nodes[node].keys.contains(key) { return .opens }
        if scenario.faults(.keyServerUnreachable, of: source, at: now)
            || scenario.faults(.sourceUnreachable, of: source, at: now)
        {
            return .missing
        }
        if scenario.faults(.wrongKey, of: source, at: now) { return .wrong }
        nodes[node].keys.insert(key)
        return .opens
    }

    /// Stores a segment as it came.
    mutating func keep(
        _ index: Int, of source: Int, _ request: SegmentRequest, _ node: Int, after duration: Int64,
    ) {
        queue.add(
            .kept(index, source: source, request, node: node, generation: nodes[node].generation),
            at: now + duration)
    }

    mutating func kept(_ index: Int, of source: Int, _ request: SegmentRequest, _ node: Int) {
        let listed = request.segment
        let placed = listed.placed
        let digest = Media.digest(source, placed.identity.rendition, index, .encrypted)
        let (key, _) = archive.commit(
            digest, channel: Self.channel, placed.identity.rendition, start: placed.start)
        guard case .segment(_, _, let name) = key, let tag = listed.entry.keys.first else { return }
        let cipher = KeyPendingSegment.Cipher(
            keyURL: tag.uri ?? "", iv: Key.bytes(ofInitializationVector: listed.vector(of: tag)))
        let pending = KeyPendingSegment(
            channel: Self.channel, identity: placed.identity, start: placed.start, duration: placed.duration,
            revision: name.revision, container: .transportStream, cipher: cipher,
            programDateTime: listed.programDateTime, arrived: now, source: request.use.source.url,
            boundary: placed.boundary)
        handle(.segmentKeyMissed(pending, request), node)
    }

    /// Another try for the key of a segment that was kept.
    mutating func open(_ pending: KeyPendingSegment, _ use: SourceUse, _ node: Int) {
        queue.add(
            .opened(pending, use, node: node, generation: nodes[node].generation),
            at: now + delay(20_000...200_000))
    }

    mutating func opened(_ pending: KeyPendingSegment, _ use: SourceUse, _ node: Int) {
        guard let digest = archive.digest(of: pending.key) else {
            let failure = FetchFailure(.segmentMissing, "the bytes are gone", isTransient: false)
            return handle(.pendingSegmentOpened(.failure(failure), pending), node)
        }
        let (source, index) = Media.source(digest)
        encoders[source].advance(to: now)
        switch openKey(of: index, of: source, node) {
        case .missing:
            let failure = FetchFailure(.keyMissing, "the key server does not answer")
            handle(.pendingSegmentOpened(.failure(failure), pending), node)
        case .wrong:
            handle(.pendingSegmentOpened(.failure(.undecryptable("the padding is wrong")), pending), node)
        case .opens:
            let vector = Key.bytes(
                ofInitializationVector:
                    encoders[source].vector(of: index, pending.identity.rendition))
            let opens = pending.cipher?.iv == vector
            let stored = stored(
                index, of: source, pending.placed, opens ? .whole : .garbled, byteCount: 1000,
                duration: encoders[source].segments[index].duration)
            handle(.pendingSegmentOpened(.success(committed(stored, pending.placed)), pending), node)
        }
    }
}
