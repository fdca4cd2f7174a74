/// Dates in a wrong time zone.
extension TimePlacing {
    /// The time zone that dates are in which are off by so many microseconds; nil when none fits.
    ///
    /// Zones differ from UTC by whole quarters of an hour. What the dates are off besides is the time from
    /// the encoder to the listing.
    static func zone(of offset: Int64) -> Int64? {
        guard offset.magnitude > Limits.zoneFrom.magnitude, offset.magnitude < Limits.zoneUpTo.magnitude
        else {
            return nil
        }
        let quarters = (Double(offset - Limits.zoneSlack.upperBound) / Double(Limits.zoneUnit)).rounded(.up)
        let zone = Int64(quarters) * Limits.zoneUnit
        return zone != 0 && Limits.zoneSlack.contains(offset - zone) ? zone : nil
    }
}
