import unittest

from harness.ratios import bootstrap_interval, calm_rounds, ratios_by_round


class RatiosTest(unittest.TestCase):
    def test_the_interval_holds_the_median_and_stays_inside_the_values(self):
        low, high = bootstrap_interval([1, 2, 3, 4, 5, 6, 7, 8, 9])
        self.assertLessEqual(1, low)
        self.assertLess(low, 5)
        self.assertGreater(high, 5)
        self.assertLessEqual(high, 9)

    def test_equal_values_leave_no_doubt(self):
        self.assertEqual((2, 2), bootstrap_interval([2] * 7))

    def test_a_round_with_half_the_machine_gone_is_left_out(self):
        self.assertEqual([0, 2, 3], calm_rounds({0: 100, 1: 49, 2: 90, 3: 50}))

    def test_when_nearly_every_round_is_disturbed_all_are_kept(self):
        self.assertEqual([0, 1, 2], calm_rounds({0: 100, 1: 10, 2: 10}))

    def test_ratios_pair_values_of_the_same_round_only(self):
        self.assertEqual([2, 5], ratios_by_round({0: 4, 1: 9, 2: 10}, {0: 2, 2: 2, 3: 1}, [0, 1, 2, 3]))


if __name__ == "__main__":
    unittest.main()
