import Digest
import MediaFormat
import Timeline

/// Properties that are found by inspecting downloaded segments.
extension TaskRunner {
    /// The beginning of a segment, opened where it is encrypted; nil for what cannot be read.
    func inspection(of part: Part, in plan: RenditionPlan) async throws(DownloadError) -> MediaInspection? {
        let section = part.names.initSection.flatMap { sections["\(plan.id)/\($0)"] }
        let file = "\(plan.id)/\(part.names.file)"
        guard var bytes = try await folder.read(file, upTo: Limits.anchorBytes) else { return nil }
        if !storesClear, let key = part.key, let secret = part.names.key.flatMap({ keys[$0] }) {
            do {
                var cipher = try AES128CBC(.decrypt, key: secret, iv: key.vectorBytes)
                bytes = try cipher.update(bytes)
            } catch {
                return nil
            }
        }
        var inspector = StreamingInspector(initSection: section)
        inspector.append(bytes)
        return try? inspector.finish()
    }

    /// Notes whether renditions have video: neither playlists nor names say it for certain.
    func detectKinds() async {
        for plan in plans where plan.id.kind == .video {
            guard stored.task.renditions.contains(where: { $0.id == plan.id && $0.content == nil }),
                let part = plan.parts.first(where: \.isDone),
                let tracks = (try? await inspection(of: part, in: plan))?.tracks
            else { continue }
            setKind(tracks.areAudioOnly ? .audio : .video, of: plan.id)
        }
    }

    func setKind(_ kind: RenditionKind, of id: RenditionID) {
        guard let index = stored.task.renditions.firstIndex(where: { $0.id == id }) else { return }
        stored.task.renditions[index].content = kind
    }
}
