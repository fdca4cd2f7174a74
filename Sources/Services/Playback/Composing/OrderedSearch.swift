extension Range<Int> {
    /// The first position at which a condition is true; the upper bound if there is none.
    ///
    /// The condition must be true at all later positions, too. The search begins at `guess`, which should be
    /// near the result.
    func first(near guess: Int, where isFound: (Int) -> Bool) -> Int {
        // The position is `high` or lies before it.
        var (low, high) = (lowerBound, upperBound)
        var place = Swift.max(low, Swift.min(guess, high - 1))
        while low < high {
            if isFound(place) {
                if place == low || !isFound(place - 1) { return place }
                high = place - 1
            } else {
                low = place + 1
                if low < high, isFound(low) { return low }
            }
            place = (low + high) / 2
        }
        return low
    }
}
