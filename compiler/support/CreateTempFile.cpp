//===- CreateTempFile.cpp - temporary files and signals -------------------===//

#include "CreateTempFile.h"

#include <csignal>

llvm::Expected<llvm::sys::fs::TempFile> heddle::createTempFile(const llvm::Twine &model, unsigned mode) {
  sigset_t ending, before;
  sigemptyset(&ending);
  for (int number : {SIGHUP, SIGINT, SIGTERM})
    sigaddset(&ending, number);
  pthread_sigmask(SIG_BLOCK, &ending, &before);
  auto file = llvm::sys::fs::TempFile::create(model, mode);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return file;
}
