import HLS
import Processes
import Timeline

/// The picture of a task: one of the first seconds that are there.
extension TaskRunner {
    private static let pictureFile = "picture.jpg"
    private static let pictureSource = ".picture.m3u8"

    /// Makes the picture once, when a segment with video is there; without ffmpeg there is none.
    func makePicture() async {
        await detectKinds()
        let pictures = stored.task.renditions.filter { $0.kind == .video }.map(\.id)
        guard !hasTriedPicture, stored.task.picture == nil,
            let plan = plans.first(where: { pictures.contains($0.id) }),
            let part = plan.parts.firstIndex(where: \.isDone)
        else { return }
        hasTriedPicture = true
        var playlist = plan.localPlaylist(isClear: storesClear, isClosed: true)
        playlist.segments = [playlist.segments[part]]
        try? await folder.replace(Self.pictureSource, with: playlist.writtenBytes())
        await makePicture(of: Self.pictureSource)
        try? await folder.remove(Self.pictureSource)
    }

    /// Makes the picture if there is none yet, and removes what a process left that ended while it made one.
    func finishPicture() async {
        await makePicture()
        try? await folder.remove(Self.pictureSource)
        try? await folder.dropDraft(of: Self.pictureFile)
    }

    /// Makes the picture of a media file or playlist of the folder: one of the first key frames.
    ///
    /// Others cost more to decode. Frames are made small first, since ffmpeg keeps those of which it chooses.
    func makePicture(of source: String) async {
        let isPlaylist = source.hasSuffix(".m3u8")
        let reading = isPlaylist ? ["-allowed_extensions", "ALL"] : []
        let draft = TaskFolder.draft(of: Self.pictureFile)
        let arguments =
            ["-nostdin", "-v", "error", "-y", "-threads", "1", "-protocol_whitelist", "file,crypto"] + reading
            + [
                "-skip_frame", "nokey", "-i", source, "-an", "-sn", "-vf",
                "scale=\(Limits.pictureWidth):-2,thumbnail=\(Limits.pictureFrames)",
                "-frames:v", "1", "-f", "mjpeg", "./\(draft)",
            ]
        do {
            try await ChildProgram.run("ffmpeg", arguments, in: folder.path, bounds: Limits.picture)
            try await folder.commit(Self.pictureFile)
            stored.task.picture = Self.pictureFile
            show()
        } catch {
            try? await folder.dropDraft(of: Self.pictureFile)
        }
    }
}
