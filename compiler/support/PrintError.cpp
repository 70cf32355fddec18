//===- PrintError.cpp - an error on stderr --------------------------------===//

#include "heddle/PrintError.h"

#include "heddle/Progress.h"

#include "llvm/Support/raw_ostream.h"

void heddle::printError(llvm::Error error) {
  Progress::clear(); // removes the status line from the terminal
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &info) {
    llvm::errs() << "heddle: error: " << info.message() << "\n";
  });
}
