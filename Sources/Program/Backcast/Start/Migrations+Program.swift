import Postgres

extension Migrations {
    /// The files of the folder `migrations` as they were when the program was built, by name.
    ///
    /// The build makes a constant of each file. A test compares this table with the folder.
    private static let embedded: [(name: String, bytes: [UInt8])] = [
        ("0001-recording.sql", PackageResources._001_recording_sql),
        ("0002-pruning.sql", PackageResources._002_pruning_sql),
        ("0003-line-revision.sql", PackageResources._003_line_revision_sql),
        ("0004-media-until.sql", PackageResources._004_media_until_sql),
        ("0005-reanchor.sql", PackageResources._005_reanchor_sql),
        ("0006-measured-duration.sql", PackageResources._006_measured_duration_sql),
        ("0007-sample-rate.sql", PackageResources._007_sample_rate_sql),
        ("0008-cue-tags.sql", PackageResources._008_cue_tags_sql),
        ("0009-markers.sql", PackageResources._009_markers_sql),
        ("0010-repair.sql", PackageResources._010_repair_sql),
        ("0011-channel-status.sql", PackageResources._011_channel_status_sql),
        ("0012-packed-quarters.sql", PackageResources._012_packed_quarters_sql),
        ("0013-key-frames.sql", PackageResources._013_key_frames_sql),
        ("0014-tokens.sql", PackageResources._014_tokens_sql),
        ("0015-format-ids.sql", PackageResources._015_format_ids_sql),
        ("0016-unused-objects.sql", PackageResources._016_unused_objects_sql),
        ("0017-pending-deletions.sql", PackageResources._017_pending_deletions_sql),
        ("0018-audio-channels.sql", PackageResources._018_audio_channels_sql),
        ("0019-loss-by-end.sql", PackageResources._019_loss_by_end_sql),
    ]

    /// The migrations of the folder that was named, else those that the program carries.
    ///
    /// A folder that cannot be read is an error that names its setting.
    static func ofProgram(folder: String?) throws -> Migrations {
        guard let folder else {
            return try Migrations(
                embedded.map { try Migration(name: $0.name, text: String(decoding: $0.bytes, as: UTF8.self)) }
            )
        }
        do {
            return try Migrations.reading(folder: folder)
        } catch {
            throw ProgramError(
                "\(Setting.migrations.rawValue): the folder \(folder) cannot be used: \(error)")
        }
    }
}
