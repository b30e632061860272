/// The main function of test programs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// ctest reports a test as skipped for this exit code (.cmake/AddSuites.cmake).
constexpr int skipped = 77;

int main(int count, char** words) {
  testing::InitGoogleMock(&count, words);
  const int result = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  return result == 0 && tests.skipped_test_count() > 0 && tests.successful_test_count() == 0 ? skipped
                                                                                             : result;
}
